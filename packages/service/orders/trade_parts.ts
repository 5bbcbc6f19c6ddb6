import type { TradeParts } from "@sabika/protocol";
import type { PriceKind } from "../prices/price_source.ts";

/** What the rows of quotes and orders keep of their parts; nulls if they are older (Decision D93). */
interface KeptParts {
  readonly vatHalalas: bigint;
  readonly feeVatHalalas: bigint | null;
  readonly feeVatRatePpm: bigint | null;
  readonly goldVatRatePpm: bigint | null;
  readonly priceSource: PriceKind | null;
  readonly midPriceTenThousandths: bigint | null;
  readonly spreadRatePpm: bigint | null;
  /** Whether the partner sees mid price and spread. */
  readonly disclosesSpread: boolean | null;
}

/** The parts of a trade in the rows of the functions that make quotes and orders; nulls if they are not known. */
export interface PartsRow {
  readonly vat: bigint;
  readonly gold_vat_rate: bigint | null;
  readonly fee_vat: bigint | null;
  readonly source: PriceKind | null;
  /** Null unless the partner's terms disclose it, as the spread. */
  readonly mid: bigint | null;
  readonly spread: bigint | null;
}

/** The parts that a partner sees of what was made now. */
export const partsOfRow = (row: PartsRow, feeVatRatePpm: bigint | null): TradeParts =>
  tradeParts({
    vatHalalas: row.vat,
    feeVatHalalas: row.fee_vat,
    feeVatRatePpm,
    goldVatRatePpm: row.gold_vat_rate,
    priceSource: row.source,
    midPriceTenThousandths: row.mid,
    spreadRatePpm: row.spread,
    disclosesSpread: row.mid !== null,
  });

/** The parts that a partner sees: none if they are not known. */
export function tradeParts(kept: KeptParts): TradeParts {
  if (kept.feeVatHalalas === null) return {};
  return {
    goldVatRatePpm: kept.goldVatRatePpm!,
    goldVatHalalas: kept.vatHalalas - kept.feeVatHalalas,
    feeVatRatePpm: kept.feeVatRatePpm!,
    feeVatHalalas: kept.feeVatHalalas,
    priceSource: kept.priceSource!,
    ...(kept.disclosesSpread && {
      midPriceTenThousandths: kept.midPriceTenThousandths!,
      spreadRatePpm: kept.spreadRatePpm!,
    }),
  };
}
