import { formatMicrograms, formatPrice, formatRate } from "@sabika/protocol";

/** Riyadh keeps UTC+3 all year (Decision D7). */
const RIYADH_OFFSET_MS = 3 * 3_600_000;

/** Writes halalas as riyals for people: `1,234,567.50`. */
export function riyals(halalas: bigint): string {
  const text = (halalas < 0n ? -halalas : halalas).toString().padStart(3, "0");
  return `${halalas < 0n ? "−" : ""}${grouped(text.slice(0, -2))}.${text.slice(-2)}`;
}

/** Writes micrograms as grams for people: `1,234.5`. */
export function grams(micrograms: bigint): string {
  return decimals(formatMicrograms(micrograms));
}

/** Writes a price in ten-thousandths of a riyal per gram, for people: `412.3456`. */
export function price(tenThousandths: bigint): string {
  return decimals(formatPrice(tenThousandths));
}

/** Writes a decimal number for people: `1,234.5`, with at least `minDecimals` decimals. */
export function figure(text: string, minDecimals = 0): string {
  const [whole, fraction = ""] = text.split(".");
  const padded = fraction.padEnd(minDecimals, "0");
  return decimals(padded === "" ? whole! : `${whole}.${padded}`);
}

/** Writes parts per million in percent: `0.25 %`. */
export function percent(ppm: bigint): string {
  return `${formatRate(ppm * 100n)} %`;
}

/** Writes a moment in Riyadh, to the second: `2026-11-21 14:03:05`. */
export function moment(epochMs: number): string {
  return inRiyadh(epochMs).slice(0, 19).replace("T", " ");
}

/** Writes the time of day in Riyadh, to the minute: `14:00`. */
export function hour(epochMs: number): string {
  return inRiyadh(epochMs).slice(11, 16);
}

/** Writes the month and day in Riyadh: `11-21`. */
export function day(epochMs: number): string {
  return inRiyadh(epochMs).slice(5, 10);
}

function inRiyadh(epochMs: number): string {
  return new Date(epochMs + RIYADH_OFFSET_MS).toISOString();
}

function decimals(text: string): string {
  const [whole = "", fraction] = text.replace("-", "−").split(".");
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
