/** The median and the range of some values. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/**
 * Returns the percentile of values in any order, by the nearest rank; `share` is from 0 to 1.
 *
 * @throws RangeError if there are no values
 */
export function percentile(values: ArrayLike<number>, share: number): number {
  if (values.length === 0) throw new RangeError("no values, no percentile");
  const sorted = Float64Array.from(values).sort();
  const rank = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[rank]!;
}

/** Returns the median, for an even count the mean of the middle two; throws RangeError without values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("no values, no median");
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Returns the arithmetic mean; throws RangeError if there are no values. */
export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("no values, no mean");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the median and the range of values; throws RangeError if there are none. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Returns the ratio of each round. Only figures of the same round are comparable, because the machine's speed
 * varies over time.
 *
 * @throws RangeError if the lists differ in length
 */
export function ratiosOf(above: readonly number[], below: readonly number[]): number[] {
  if (above.length !== below.length) throw new RangeError("as many figures above as below");
  return above.map((figure, round) => figure / below[round]!);
}
