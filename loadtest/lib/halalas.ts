/**
 * Converts an amount in SAR from JSON to whole halalas, so that sums are exact. Amounts have at most 2
 * decimals and 15 digits, for which a double is exact to the halala.
 */
export function halalas(sar: number): number {
  return Math.round(sar * 100);
}

/** Converts grams (at most 4 decimals) to ten-thousandths of a gram. */
export function goldUnits(grams: number): number {
  return Math.round(grams * 10_000);
}
