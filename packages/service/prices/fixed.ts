import type { PriceSource } from "./price_source.ts";

/** One price, always as of now: the operator set it. */
export function createFixedPrice(
  { midTenThousandths }: { readonly midTenThousandths: bigint },
): PriceSource {
  return {
    latest: (nowMs) => ({ ok: true, source: "fixed", midTenThousandths, asOfMs: nowMs }),
  };
}
