import { formatHalalas, formatMicrograms, parseHalalas, parseMicrograms } from "@sabika/protocol";
import type { AmountResult } from "@sabika/protocol";

/**
 * Grams of gold as the micrograms that the SDK counts in.
 *
 * @param text a decimal number with at most 4 decimals, as text so that no digit is lost
 * @throws {RangeError} when it is no such number
 * @example
 * ```ts
 * import { grams } from "@sabika/client";
 *
 * console.log(grams("1.5") === 1_500_000n); // true
 * ```
 */
export function grams(text: string): bigint {
  return read(parseMicrograms(text), "grams", 4);
}

/**
 * Riyals as the halalas that the SDK counts in.
 *
 * @param text a decimal number with at most 2 decimals
 * @throws {RangeError} when it is no such number
 * @example
 * ```ts
 * import { riyals } from "@sabika/client";
 *
 * console.log(riyals("1000") === 100_000n); // true
 * ```
 */
export function riyals(text: string): bigint {
  return read(parseHalalas(text), "riyals", 2);
}

/**
 * Micrograms as grams, a decimal number as text.
 *
 * @example
 * ```ts
 * import { formatGrams } from "@sabika/client";
 *
 * console.log(formatGrams(1_500_000n) === "1.5"); // true
 * ```
 */
export function formatGrams(micrograms: bigint): string {
  return formatMicrograms(micrograms);
}

/**
 * Halalas as riyals, a decimal number as text.
 *
 * @example
 * ```ts
 * import { formatRiyals } from "@sabika/client";
 *
 * console.log(formatRiyals(100_050n) === "1000.5"); // true
 * ```
 */
export function formatRiyals(halalas: bigint): string {
  return formatHalalas(halalas);
}

function read(result: AmountResult, unit: string, decimals: number): bigint {
  if (result.ok) return result.value;
  throw new RangeError(`${unit} are a plain decimal number with at most ${decimals} decimals`);
}
