import type { Side } from "@sabika/protocol";
import { buyPrice, divideUp, PER_HALALA, PPM, priceQuote, sellPrice } from "./price_quote.ts";
import type { TradingSettings } from "./trading_settings.ts";

/** Gold is quoted in steps of 0.0001 g (Decision D2). */
const STEP_MICROGRAMS = 100n;

/**
 * Computes the gold of a quote by money (Decision D47), in whole steps of 0.0001 g.
 *
 * For a buy, the most gold whose total does not exceed the amount; zero when not even one step fits. For
 * a sale, the least gold whose proceeds reach the amount; more than the partner's maximum when no
 * quantity up to that maximum does.
 */
export function goldForMoney(
  side: Side,
  amountHalalas: bigint,
  midTenThousandths: bigint,
  settings: TradingSettings,
): bigint {
  return side === "buy"
    ? mostGoldFor(amountHalalas, midTenThousandths, settings)
    : leastGoldFor(amountHalalas, midTenThousandths, settings);
}

function mostGoldFor(
  amountHalalas: bigint,
  midTenThousandths: bigint,
  { spreadPpm, feePpm, vatPpm = 0n }: TradingSettings,
): bigint {
  const price = buyPrice(midTenThousandths, spreadPpm);
  // The most for value and fee: with VAT added and rounded up, it does not exceed the amount.
  const untaxed = amountHalalas * PPM / (PPM + vatPpm);
  // The largest value in whole halalas that leaves room for its fee.
  const value = untaxed * PPM / (PPM + feePpm);
  const upToValue = value * PER_HALALA;
  // A fraction of the next halala, as far as the fee fits into the rest.
  const upToFee = feePpm === 0n ? 0n : (untaxed - value - 1n) * PER_HALALA * PPM / feePpm;
  const exact = upToFee > upToValue ? upToFee : upToValue;
  return exact / price / STEP_MICROGRAMS * STEP_MICROGRAMS;
}

function leastGoldFor(
  amountHalalas: bigint,
  midTenThousandths: bigint,
  settings: TradingSettings,
): bigint {
  const { spreadPpm, feePpm, vatPpm = 0n, quoteMaxMicrograms } = settings;
  const tooMuch = quoteMaxMicrograms + STEP_MICROGRAMS;
  const price = sellPrice(midTenThousandths, spreadPpm);
  const kept = PPM * PPM - feePpm * (PPM + vatPpm);
  if (price === 0n || kept <= 0n) return tooMuch;
  // Proceeds only grow where the value does, so the least gold is that of some value; no value can
  // be below what the amount and the fee and VAT of less gold come to.
  let value = divideUp(amountHalalas * PPM * PPM, kept);
  for (;;) {
    const steps = divideUp(value * PER_HALALA, price * STEP_MICROGRAMS);
    const gold = steps * STEP_MICROGRAMS;
    if (gold > quoteMaxMicrograms) return tooMuch;
    const terms = priceQuote("sell", gold, midTenThousandths, settings);
    if (terms.totalHalalas >= amountHalalas) return gold;
    value = amountHalalas + terms.feeHalalas + terms.vatHalalas;
  }
}
