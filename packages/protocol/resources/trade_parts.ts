import { HALALAS, oneOf, PRICE_PER_GRAM, RATE } from "../form.ts";
import { type Members, optional } from "../record_form.ts";

/** Where a price comes from. */
export const PRICE_SOURCES = ["simulated", "fixed", "feed"] as const;
/** One of {@link PRICE_SOURCES}. */
export type PriceSource = (typeof PRICE_SOURCES)[number];

/**
 * The parts of a quote or an order (Decision D93). Those from before parts were kept have none of them: they are not
 * known.
 */
export interface TradeParts {
  /** The rate of the VAT on the gold, in millionths; zero for a sale. */
  readonly goldVatRatePpm?: bigint;
  /** The VAT on the gold: with the VAT on the fee it is all VAT. */
  readonly goldVatHalalas?: bigint;
  /** The rate of the VAT on the fee, in millionths. */
  readonly feeVatRatePpm?: bigint;
  /** The VAT on the fee. */
  readonly feeVatHalalas?: bigint;
  /** Where the price came from. */
  readonly priceSource?: PriceSource;
  /** The mid price of a gram; only if the partner's terms disclose the spread. */
  readonly midPriceTenThousandths?: bigint;
  /** The distance of the price from the mid price, in millionths of it; only if the terms disclose it. */
  readonly spreadRatePpm?: bigint;
}

const UNKNOWN = "Absent if not known: it was made before parts were kept.";

/** The members of a quote and an order that are its parts. */
export const TRADE_PARTS: Members<TradeParts> = {
  goldVatRatePpm: optional(
    "gold_vat_rate",
    RATE,
    `The rate of VAT on the gold; 0 for a sale. ${UNKNOWN}`,
  ),
  goldVatHalalas: optional("gold_vat_sar", HALALAS, `The VAT on the gold, in vat_sar. ${UNKNOWN}`),
  feeVatRatePpm: optional("fee_vat_rate", RATE, `The rate of VAT on the fee. ${UNKNOWN}`),
  feeVatHalalas: optional("fee_vat_sar", HALALAS, `The VAT on the fee, in vat_sar. ${UNKNOWN}`),
  priceSource: optional(
    "price_source",
    oneOf(PRICE_SOURCES),
    `Where the price came from. ${UNKNOWN}`,
  ),
  midPriceTenThousandths: optional(
    "mid_price_sar",
    PRICE_PER_GRAM,
    "The mid price; only if your terms disclose the spread.",
  ),
  spreadRatePpm: optional("spread_rate", RATE, "The spread; only if your terms disclose it."),
};
