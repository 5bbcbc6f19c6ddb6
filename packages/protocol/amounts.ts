/**
 * Exact decimal amounts: the text of a JSON number is converted to a `bigint` of the smallest unit and
 * back, never through a binary fraction (Decisions D2 to D5).
 */

/** The text of a JSON number, which is written without quotes. */
export interface DecimalText {
  /** The number as it is written. */
  readonly decimal: string;
}

/** Reasons why a text is not an amount; `too_precise`: it has too many digits or decimals. */
export type AmountError = "wrong_form" | "too_precise";

/** An amount in its smallest unit, or the reason why the text is not an amount. */
export type AmountResult =
  | { readonly ok: true; readonly value: bigint }
  | { readonly ok: false; readonly code: AmountError };

/** The most significant digits that survive a reader which uses doubles. */
export const MAX_SIGNIFICANT_DIGITS = 15;

const DECIMAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

/**
 * Reads the text of a decimal number as an amount with `scale` decimals.
 *
 * Refused: exponents, a plus sign, leading zeros, a bare point, -0, more than `decimals` digits
 * behind the point (zeros at the end count), more than 15 significant digits.
 *
 * @param text the number as it stood in the JSON source
 * @param decimals how many decimals are allowed
 * @param scale how many decimals the stored unit has; at least `decimals`
 */
export function parseDecimal(text: string, decimals: number, scale: number): AmountResult {
  const match = DECIMAL.exec(text);
  if (match === null) return { ok: false, code: "wrong_form" };
  const [, sign = "", whole = "", fraction = ""] = match;
  if (fraction.length > decimals) return { ok: false, code: "too_precise" };
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") {
    return sign === "-" ? { ok: false, code: "wrong_form" } : { ok: true, value: 0n };
  }
  if (digits.length > MAX_SIGNIFICANT_DIGITS) return { ok: false, code: "too_precise" };
  return { ok: true, value: BigInt(sign + digits + "0".repeat(scale - fraction.length)) };
}

/** Writes an amount of a stored unit as the text of a JSON number, without trailing zeros. */
export function formatDecimal(value: bigint, scale: number): string {
  if (value === 0n) return "0";
  const sign = value < 0n ? "-" : "";
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const point = digits.length - scale;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end--;
  const whole = sign + digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}

const ZERO = 0x30;

/** Reads SAR with at most 2 decimals as halalas (Decision D3). */
export function parseHalalas(text: string): AmountResult {
  return parseDecimal(text, 2, 2);
}

/** Formats halalas as SAR: `12050n` as `120.5`. */
export function formatHalalas(halalas: bigint): string {
  return formatDecimal(halalas, 2);
}

/** Reads grams with at most 4 decimals as micrograms (Decision D2). */
export function parseMicrograms(text: string): AmountResult {
  return parseDecimal(text, 4, 6);
}

/** Formats micrograms as grams: `1_500_000n` as `1.5`. */
export function formatMicrograms(micrograms: bigint): string {
  return formatDecimal(micrograms, 6);
}

/** Reads SAR per gram with at most 4 decimals as ten-thousandths of a riyal (Decision D4). */
export function parsePrice(text: string): AmountResult {
  return parseDecimal(text, 4, 4);
}

/** Formats ten-thousandths of a riyal as SAR per gram: `4_123_456n` as `412.3456`. */
export function formatPrice(tenThousandths: bigint): string {
  return formatDecimal(tenThousandths, 4);
}

/** Reads a rate with at most 6 decimals as parts per million: `0.15` as `150_000n` (Decision D8). */
export function parseRate(text: string): AmountResult {
  return parseDecimal(text, 6, 6);
}

/** Formats parts per million as a rate: `150_000n` as `0.15`. */
export function formatRate(ppm: bigint): string {
  return formatDecimal(ppm, 6);
}

/** Marks the text of a number for `meta`, so that it is written as a number and not as a string. */
export function decimal(text: string): DecimalText {
  return { decimal: text };
}
