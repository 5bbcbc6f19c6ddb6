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
