import { isCurrent, PRICE_UNAVAILABLE, type PriceSource } from "./price_source.ts";

/** The settings of a fixed price. */
export interface FixedPriceSettings {
  readonly midTenThousandths: bigint;
  /** When the price was set, epoch milliseconds; when left out, it is always as of now. */
  readonly asOfMs?: number;
  /** When left out, the price never becomes too old. */
  readonly maxAgeMs?: number;
}

/** One price until it is too old; for tests and for a price that the operator sets. */
export function createFixedPrice(settings: FixedPriceSettings): PriceSource {
  const { midTenThousandths, asOfMs, maxAgeMs = Infinity } = settings;
  return {
    latest(nowMs) {
      const asOf = asOfMs ?? nowMs;
      if (!isCurrent(asOf, nowMs, maxAgeMs)) return PRICE_UNAVAILABLE;
      return { ok: true, source: "fixed", midTenThousandths, asOfMs: asOf };
    },
  };
}
