import { formatHalalas, formatMicrograms, parseHalalas, parseMicrograms } from "@sabika/protocol";
import type { AmountResult } from "@sabika/protocol";

/**
 * Converts grams of gold to micrograms, the SDK's unit.
 *
 * @param text a decimal number with at most 4 decimals, as text so that no digit is lost
 * @throws {RangeError} if the text is not such a number
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
 * Converts riyals to halalas, the SDK's unit.
 *
 * @param text a decimal number with at most 2 decimals
 * @throws {RangeError} if the text is not such a number
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
 * Formats micrograms as grams, a decimal number.
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
 * Formats halalas as riyals, a decimal number.
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
