import { type Outcome, type Price, refuse } from "@sabika/protocol";
import {
  buyPrice,
  goldForMoney,
  priceQuote,
  sellPrice,
  type TradingSettings,
} from "@sabika/terms/pricing";
import type { QuoteCommand } from "../batches/commands.ts";
import { outOfBounds } from "../batches/refusals.ts";
import type { PriceSource } from "../prices/price_source.ts";
import type { QuoteItem } from "./make_quotes.ts";

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

/** Prices the gold of a command now; refuses it when there is no price or it is out of bounds. */
export function priceCommand(
  prices: PriceSource,
  nowMs: number,
  { partner: { settings }, request }: QuoteCommand,
): Outcome<Omit<QuoteItem, "command" | "quoteId">> {
  const { side, amountHalalas } = request;
  const boundsOf = (gold: bigint) =>
    outOfBounds("XAU", gold, settings.quoteMinMicrograms, settings.quoteMaxMicrograms);
  const refusal = amountHalalas === undefined ? boundsOf(request.goldMicrograms) : undefined;
  if (refusal) return refusal;
  const price = prices.latest(nowMs);
  if (!price.ok) return refuse(price.code, { retryAfterSeconds: 1 });
  const { midTenThousandths: mid, asOfMs: priceAsOfMs } = price;
  const goldMicrograms = request.goldMicrograms ??
    goldForMoney(side, request.amountHalalas, mid, settings);
  const outside = boundsOf(goldMicrograms);
  if (outside) return outside;
  const terms = priceQuote(side, goldMicrograms, mid, settings);
  // A sale of so little gold that the fee exceeds its value.
  if (terms.totalHalalas <= 0n) {
    return refuse("amount_below_minimum", { meta: { asset: "XAU" } });
  }
  return { ok: true, value: { goldMicrograms, terms, priceAsOfMs } };
}
