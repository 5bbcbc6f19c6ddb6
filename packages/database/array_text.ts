/**
 * Array parameters as PostgreSQL's array literals: one text parameter each, which is the fastest
 * way through the driver.
 */

/** Formats values that need no quoting as an array: numbers, bigints, UUIDs and `NULL`. */
export function plainArray(values: readonly (number | bigint | string)[]): string {
  return `{${values.join(",")}}`;
}

/** Formats texts of any content as an array; null stays null. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map(quote).join(",")}}`;
}

function quote(value: string | null): string {
  if (value === null) return "NULL";
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
