import type { Side } from "@sabika/protocol";
import type { TradingSettings } from "./trading_settings.ts";

/** The terms of a quote; its order has the same terms (Decision D6). */
export interface QuoteTerms {
  readonly pricePerGramTenThousandths: bigint;
  readonly feeHalalas: bigint;
  readonly vatRatePpm: bigint;
  readonly vatHalalas: bigint;
  readonly totalHalalas: bigint;
}

/** Parts per million in one. */
export const PPM = 1_000_000n;
/** How many micrograms × ten-thousandths of a riyal per gram make a halala. */
export const PER_HALALA = 100_000_000n;

/** What the partner pays for a gram, rounded up to the ten-thousandth (Decision D4). */
export function buyPrice(midTenThousandths: bigint, spreadPpm: bigint): bigint {
  return divideUp(midTenThousandths * (PPM + spreadPpm), PPM);
}

/** What the partner gets for a gram, rounded down to the ten-thousandth (Decision D4). */
export function sellPrice(midTenThousandths: bigint, spreadPpm: bigint): bigint {
  return (midTenThousandths * (PPM - spreadPpm)) / PPM;
}

/**
 * Prices a quote (Decisions D6, D8).
 *
 * The value of the gold is rounded against the partner and the fee is rounded up, separately. The total
 * of a buy is value + fee + VAT; the proceeds of a sale are value − fee − VAT. A buy has VAT on value
 * and fee, a sale only on the fee, since there the partner supplies the gold.
 */
export function priceQuote(
  side: Side,
  goldMicrograms: bigint,
  midTenThousandths: bigint,
  settings: TradingSettings,
): QuoteTerms {
  const { spreadPpm, feePpm, vatPpm = 0n } = settings;
  const price = side === "buy"
    ? buyPrice(midTenThousandths, spreadPpm)
    : sellPrice(midTenThousandths, spreadPpm);
  const exact = goldMicrograms * price;
  const fee = divideUp(exact * feePpm, PER_HALALA * PPM);
  const value = side === "buy" ? divideUp(exact, PER_HALALA) : exact / PER_HALALA;
  const vat = divideUp((side === "buy" ? value + fee : fee) * vatPpm, PPM);
  return {
    pricePerGramTenThousandths: price,
    feeHalalas: fee,
    vatRatePpm: vatPpm,
    vatHalalas: vat,
    totalHalalas: side === "buy" ? value + fee + vat : value - fee - vat,
  };
}

/** Divides and rounds up; both are not negative. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
