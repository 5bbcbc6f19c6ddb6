import type { TradingSettings } from "@sabika/terms/pricing";
import type { Side } from "@sabika/protocol";

/** An exact rational number; the denominator is positive. */
type Ratio = readonly [numerator: bigint, denominator: bigint];

const times = ([a, b]: Ratio, [c, d]: Ratio): Ratio => [a * c, b * d];
const floor = ([a, b]: Ratio): bigint => a >= 0n ? a / b : -((b - 1n - a) / b);
const ceil = ([a, b]: Ratio): bigint => -floor([-a, b]);

/**
 * Computes the terms of a quote for steps of 0.0001 g in exact ratios, as Decisions D4, D6 and D8 state
 * them, independently of the product's arithmetic.
 */
export function quoteOracle(
  side: Side,
  mid: bigint,
  { spreadPpm, feePpm, vatPpm = 0n, goldVatPpm = vatPpm }: TradingSettings & {
    goldVatPpm?: bigint;
  },
) {
  const toMarket: Ratio = [1_000_000n + (side === "buy" ? spreadPpm : -spreadPpm), 1_000_000n];
  // In ten-thousandths of a riyal per gram, rounded up for a buy and down for a sale.
  const tenThousandths = (side === "buy" ? ceil : floor)(times([mid, 1n], toMarket));
  const fee: Ratio = [feePpm, 1_000_000n];
  // 0.0001 g in halalas: a ten-thousandth of the price in riyals, times 100.
  const step: Ratio = [tenThousandths * 100n, 10_000n * 10_000n];
  /** Returns price, fee, VAT on the fee, all VAT and total for a number of steps of 0.0001 g; amounts in halalas. */
  function terms(steps: bigint) {
    const exact = times(step, [steps, 1n]);
    const charged = ceil(times(exact, fee));
    const value = side === "buy" ? ceil(exact) : floor(exact);
    const feeTax = charged * vatPpm;
    const tax = ceil([feeTax + (side === "buy" ? value * goldVatPpm : 0n), 1_000_000n]);
    const feeVat = ceil([feeTax, 1_000_000n]);
    const total = side === "buy" ? value + charged + tax : value - charged - tax;
    return { price: tenThousandths, fee: charged, feeVat, vat: tax, total };
  }
  return {
    step,
    terms,
    total: (steps: bigint) => terms(steps).total,
    /** Returns a lower bound for the number of steps whose total, without rounding, reaches the amount. */
    fewest(amount: bigint): bigint {
      const [a, b] = times(step, [
        10n ** 12n - feePpm * (1_000_000n + vatPpm),
        10n ** 12n,
      ]);
      return ceil([amount * b, a]);
    },
  };
}

/** Returns a generator of pseudorandom numbers (xorshift) with a seed, so that failures can be repeated. */
export function numbers(seed: number) {
  let state = seed;
  return (from: number, to: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return from + ((state >>> 0) % (to - from + 1));
  };
}

/** Draws realistic prices and rates, and amounts (in minor units) of every size. */
export function someTerms(next: (from: number, to: number) => number) {
  const settings = {
    quoteMinMicrograms: 10_000n,
    quoteMaxMicrograms: 10n ** 16n,
    openQuotesLimit: 1_000_000,
    spreadPpm: BigInt(next(0, 3) === 0 ? 0 : next(0, 50_000)),
    feePpm: BigInt(next(0, 3) === 0 ? 0 : next(0, 100_000)),
    /** Of the fee; of the gold the same, or nothing. */
    vatPpm: next(0, 1) === 0 ? 0n : 150_000n,
    goldVatPpm: 0n,
  };
  if (next(0, 1) === 0) settings.goldVatPpm = settings.vatPpm;
  const mid = BigInt(next(0, 19) === 0 ? next(20_000, 500_000) : next(500_000, 20_000_000));
  return { settings, mid, amount: BigInt(next(1, 10 ** next(1, 9))) };
}
