/**
 * SAR as it comes in JSON to whole halalas, so that sums are exact. Amounts have at most 2 decimals
 * and 15 digits, where a double is exact to the halala.
 */
export function halalas(sar: number): number {
  return Math.round(sar * 100);
}

/** Grams (at most 4 decimals) to ten-thousandths of a gram. */
export function goldUnits(grams: number): number {
  return Math.round(grams * 10_000);
}
