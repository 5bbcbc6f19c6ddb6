/**
 * Array parameters as PostgreSQL's array literals: one text parameter each, which is the fastest
 * way through the driver.
 */

/** Numbers, bigints, UUIDs and `NULL`: nothing that needs quoting. */
export function plainArray(values: readonly (number | bigint | string)[]): string {
  return `{${values.join(",")}}`;
}

/** Texts of any content; null stays null. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map(quote).join(",")}}`;
}

const SPECIAL = /[\\"]/g;

function quote(value: string | null): string {
  return value === null ? "NULL" : `"${value.replace(SPECIAL, "\\$&")}"`;
}
