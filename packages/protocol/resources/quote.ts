import {
  type Form,
  HALALAS,
  id,
  MICROGRAMS,
  nullable,
  oneOf,
  PRICE_PER_GRAM,
  RATE,
  TIME,
} from "../form.ts";
import type { Id } from "../ids.ts";
import { QUOTE_VALIDITY_SECONDS } from "../limits.ts";
import { constant, member, optional, record } from "../record_form.ts";
import { choice, GOLD, MONEY } from "../request_fields.ts";
import { alternative, type RequestForm, requestForm, required } from "../request_form.ts";
import { type Side, SIDE_SAYS, SIDES } from "./side.ts";
import { TRADE_PARTS, type TradeParts } from "./trade_parts.ts";

/** The states of a quote. */
export const QUOTE_STATUSES = ["open", "executed", "expired"] as const;
/** One of {@link QUOTE_STATUSES}. */
export type QuoteStatus = (typeof QUOTE_STATUSES)[number];

/** A firm quote (Decision D10). Its order has the same total. */
export interface Quote extends TradeParts {
  /** Its id. */
  readonly id: Id<"qt">;
  /** Its state. */
  readonly status: QuoteStatus;
  /** Whether the partner buys or sells. */
  readonly side: Side;
  /** The amount of gold. */
  readonly goldMicrograms: bigint;
  /** Ten-thousandths of a riyal per gram. */
  readonly pricePerGramTenThousandths: bigint;
  /** The fee, in the total. */
  readonly feeHalalas: bigint;
  /** The rate of the VAT on the fee, in millionths. */
  readonly vatRatePpm: bigint;
  /** The VAT, in the total. */
  readonly vatHalalas: bigint;
  /** The cost of a buy, or the proceeds of a sale. */
  readonly totalHalalas: bigint;
  /** The time of the price. */
  readonly priceAsOfMs: number;
  /** When it was received. */
  readonly createdAtMs: number;
  /** When it ends. */
  readonly expiresAtMs: number;
  /** The order that used it; null while none did. */
  readonly orderId: Id<"ord"> | null;
  /** The requested money; only in a quote by money. */
  readonly requested?: RequestedMoney;
}

/** The money that a quote was requested for (Decision D47). */
export interface RequestedMoney {
  /** The amount of money. */
  readonly amountHalalas: bigint;
}

/** The body of POST /v1/quotes: a quantity of gold, or gold for an amount of money (Decision D47). */
export type QuoteRequest =
  & { readonly side: Side }
  & (
    | { readonly goldMicrograms: bigint; readonly amountHalalas?: undefined }
    | { readonly amountHalalas: bigint; readonly goldMicrograms?: undefined }
  );

/** The members of both kinds; the form ensures that exactly one of the two is there. */
interface QuoteRequestMembers {
  readonly side: Side;
  readonly goldMicrograms: bigint | undefined;
  readonly amountHalalas: bigint | undefined;
}

const REQUESTED: Form<RequestedMoney> = record<RequestedMoney>("requested money", {
  amountHalalas: member("amount_sar", HALALAS, "The money that was requested."),
});

/** The form of a quote. */
export const QUOTE: Form<Quote> = record<Quote>("quote", {
  id: member("id", id("qt")),
  status: member("status", oneOf(QUOTE_STATUSES), "Only an open quote can be executed."),
  side: member("side", oneOf(SIDES), SIDE_SAYS),
  goldMicrograms: member("gold_grams", MICROGRAMS, "How much gold."),
  pricePerGramTenThousandths: member("price_per_gram_sar", PRICE_PER_GRAM, "The firm price."),
  feeHalalas: member("fee_sar", HALALAS, "The fee, in the total."),
  vatRatePpm: member("vat_rate", RATE, "The rate of VAT on the fee."),
  vatHalalas: member("vat_sar", HALALAS, "All VAT, in the total."),
  ...TRADE_PARTS,
  totalHalalas: member("total_sar", HALALAS, "What a buy costs, what a sale brings."),
  $currency: constant('"SAR"'),
  priceAsOfMs: member("price_as_of", TIME, "When the source gave the price."),
  createdAtMs: member("created_at", TIME, "When it was made."),
  expiresAtMs: member("expires_at", TIME, "An order received before this is in time."),
  $valid_for_seconds: constant(String(QUOTE_VALIDITY_SECONDS), "How long a quote is firm."),
  orderId: member("order_id", nullable(id("ord")), "The order that executed it."),
  requested: optional("requested", REQUESTED, "Only in a quote by money."),
});

/** The form of the body of POST /v1/quotes; bounds are checked later. */
export const QUOTE_REQUEST = requestForm<QuoteRequestMembers>("QuoteRequest", {
  side: required("side", choice(SIDES), SIDE_SAYS),
  goldMicrograms: alternative("gold_grams", GOLD, "How much gold."),
  amountHalalas: alternative(
    "amount_sar",
    MONEY,
    "How much money, instead of gold: a buy costs at most this, a sale brings at least this.",
  ),
}) as RequestForm<QuoteRequest>;
/** Writes the body of POST /v1/quotes. */
export const quoteRequestToJson: RequestForm<QuoteRequest>["write"] = QUOTE_REQUEST.write;
/** Reads the body of POST /v1/quotes. */
export const quoteRequestFromJson: RequestForm<QuoteRequest>["parse"] = QUOTE_REQUEST.parse;
