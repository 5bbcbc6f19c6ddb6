import { isCurrent, PRICE_UNAVAILABLE, type PriceSource } from "./price_source.ts";

export interface FixedPriceSettings {
  readonly midTenThousandths: bigint;
  /** When the price was set; left out = it is always as of now. */
  readonly asOfMs?: number;
  /** Left out = it never grows too old. */
  readonly maxAgeMs?: number;
}

/** One price for as long as it is allowed to stand; for tests and for an operator's manual price. */
export function createFixedPrice(settings: FixedPriceSettings): PriceSource {
  const { midTenThousandths, asOfMs, maxAgeMs = Infinity } = settings;
  return {
    latest(nowMs) {
      const asOf = asOfMs ?? nowMs;
      if (!isCurrent(asOf, nowMs, maxAgeMs)) return PRICE_UNAVAILABLE;
      return { ok: true, midTenThousandths, asOfMs: asOf };
    },
  };
}
