import { figure } from "@sabika/office/dossier";
import { formatHalalas, formatMicrograms, formatPrice, formatRate } from "@sabika/protocol";
import { riyadhDay as date, riyadhTime as moment } from "@sabika/terms";

export { date, moment };

/** Writes halalas as riyals for people: `1,234,567.50`. */
export function riyals(halalas: bigint): string {
  return figure(formatHalalas(halalas), 2);
}

/** Writes micrograms as grams for people: `1,234.5`. */
export function grams(micrograms: bigint): string {
  return figure(formatMicrograms(micrograms));
}

/** Writes a price in ten-thousandths of a riyal per gram, for people: `412.3456`. */
export function price(tenThousandths: bigint): string {
  return figure(formatPrice(tenThousandths));
}

/** Writes ten-thousandths as parts in a thousand, for a fineness: `999.9`. */
export function fineness(tenThousandths: number): string {
  return (tenThousandths / 10).toFixed(1);
}

/** Writes parts per million in percent: `0.25 %`. */
export function percent(ppm: bigint): string {
  return `${formatRate(ppm * 100n)} %`;
}

/** Writes the time of day in Riyadh, to the minute: `14:00`. */
export function hour(epochMs: number): string {
  return moment(epochMs).slice(11, 16);
}

/** Writes the month and day in Riyadh: `11-21`. */
export function day(epochMs: number): string {
  return date(epochMs).slice(5);
}
