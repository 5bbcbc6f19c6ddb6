import { type Outcome, type Price, refuse } from "@sabika/protocol";
import { buyPrice, sellPrice, type TradingSettings } from "@sabika/terms/pricing";
import type { PriceSource } from "../prices/price_source.ts";

/** The indicative price on these terms (Decision D9). */
export function priceNow(
  prices: PriceSource,
  nowMs: number,
  { spreadPpm }: TradingSettings,
): Outcome<Price> {
  const latest = prices.latest(nowMs);
  if (!latest.ok) return refuse(latest.code, { retryAfterSeconds: 1 });
  const { midTenThousandths, asOfMs } = latest;
  return {
    ok: true,
    value: {
      buyPriceTenThousandths: buyPrice(midTenThousandths, spreadPpm),
      sellPriceTenThousandths: sellPrice(midTenThousandths, spreadPpm),
      midPriceTenThousandths: midTenThousandths,
      asOfMs,
    },
  };
}
