import {
  formatDecimal,
  parseDecimal,
  parseHalalas,
  parseMicrograms,
  parsePrice,
  parseTime,
} from "@sabika/protocol";
import { RIYADH_OFFSET_MS, type Role, ROLES } from "@sabika/terms";

/** Text as it is. */
export const text = (input: string): string => input;

/** Grams with at most 4 decimals, above zero, to micrograms (Decision D2). */
export function grams(input: string): bigint {
  const parsed = parseMicrograms(input);
  if (parsed.ok && parsed.value > 0n) return parsed.value;
  throw new SyntaxError("not a quantity in grams with at most 4 decimals, such as 1000 or 12.5");
}

/** Riyals with at most 2 decimals, above zero, to halalas (Decision D3). */
export function riyals(input: string): bigint {
  const parsed = parseHalalas(input);
  if (parsed.ok && parsed.value > 0n) return parsed.value;
  throw new SyntaxError("not an amount in SAR with at most 2 decimals, such as 100000 or 99.50");
}

/** SAR a gram with at most 4 decimals, above zero (Decision D4). */
export function price(input: string): bigint {
  const parsed = parsePrice(input);
  if (parsed.ok && parsed.value > 0n) return parsed.value;
  throw new SyntaxError("not a price in SAR a gram with at most 4 decimals, such as 485.25");
}

/** A percentage such as `0.5%` or `0.5`, to parts per million. */
export function percent(input: string): bigint {
  const parsed = parseDecimal(input.replace(/%$/, ""), 4, 4);
  if (parsed.ok && parsed.value >= 0n) return parsed.value;
  throw new SyntaxError("not a percentage with at most 4 decimals, such as 0.5%");
}

/** Parts per million as a percentage: `5_000n` is `0.5`. */
export function formatPercent(ppm: bigint): string {
  return formatDecimal(ppm, 4);
}

/** A whole number of at most 15 digits. */
export function whole(input: string): number {
  if (/^(0|[1-9][0-9]{0,14})$/.test(input)) return Number(input);
  throw new SyntaxError("not a whole number");
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time such as `7d`, `12h`, `30m` or `45s`, to milliseconds. */
export function duration(input: string): number {
  const match = /^([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|[smhd])$/.exec(input);
  const unit = match?.[2] === "ms" ? 1 : UNITS[match?.[2] ?? ""];
  if (match === null || unit === undefined) {
    throw new SyntaxError("not a length of time, such as 7d, 12h, 30m or 45s");
  }
  return Math.round(Number(match[1]) * unit);
}

/** A time such as `2026-11-20T09:30:00Z`, or the beginning of a day of Riyadh, to epoch milliseconds. */
export function moment(input: string): number {
  const ms = dayStart(input) ?? parseTime(input);
  if (ms !== undefined) return ms;
  throw new SyntaxError("not a day or a time in UTC, such as 2026-11-20 or 2026-11-20T09:30:00Z");
}

/** A time, or the end of a day of Riyadh, to epoch milliseconds. */
export function momentAfter(input: string): number {
  const day = dayStart(input);
  return day === undefined ? moment(input) : day + 86_400_000;
}

/** A date such as `2026-11-20`, unchanged. */
export function date(input: string): string {
  if (dayStart(input) !== undefined) return input;
  throw new SyntaxError("not a day, such as 2026-11-20");
}

/**
 * When a day begins in Riyadh; undefined when the text is not a date. Unlike `riyadhDayStart`, of any year.
 */
function dayStart(input: string): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(input) ? Date.parse(`${input}T00:00:00.000Z`) : NaN;
  // A 30th of February would be read as a day of March.
  const isDate = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(input);
  return isDate ? ms - RIYADH_OFFSET_MS : undefined;
}

/** A fineness such as 999.9, to parts in ten thousand. */
export function fineness(input: string): number {
  const parsed = parseDecimal(input, 1, 1);
  if (parsed.ok && parsed.value > 0n && parsed.value <= 10_000n) return Number(parsed.value);
  throw new SyntaxError("not a fineness, such as 999.9");
}

/** A role, such as `treasury`. */
export function role(input: string): Role {
  const found = ROLES.find((name) => name === input);
  if (found === undefined) throw new SyntaxError(`not one of ${ROLES.join(", ")}`);
  return found;
}
