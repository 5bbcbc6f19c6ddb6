/** Riyadh keeps UTC+3 all year (Decision D7). */
export const RIYADH_OFFSET_MS = 3 * 3_600_000;
const DAY_MS = 86_400_000;
/** Dates before the year 1000 are not asked for, and PostgreSQL has no year 0. */
const DAY = /^[1-9]\d{3}-\d{2}-\d{2}$/;

/** Returns when a day of Riyadh begins, epoch milliseconds; undefined unless it is a YYYY-MM-DD date. */
export function riyadhDayStart(day: string): number | undefined {
  if (!DAY.test(day)) return undefined;
  const utcMs = Date.parse(`${day}T00:00:00.000Z`);
  if (Number.isNaN(utcMs) || new Date(utcMs).toISOString().slice(0, 10) !== day) return undefined;
  return utcMs - RIYADH_OFFSET_MS;
}

/** Returns when a day of Riyadh is over, epoch milliseconds; undefined as for `riyadhDayStart`. */
export function riyadhDayEnd(day: string): number | undefined {
  const startMs = riyadhDayStart(day);
  return startMs === undefined ? undefined : startMs + DAY_MS;
}

/** Returns the day that a moment is in, in Riyadh: `2026-11-21`. */
export function riyadhDay(epochMs: number): string {
  return riyadhTime(epochMs).slice(0, 10);
}

/** Writes a moment in Riyadh, to the second: `2026-11-21 14:03:05`. */
export function riyadhTime(epochMs: number): string {
  return new Date(epochMs + RIYADH_OFFSET_MS).toISOString().slice(0, 19).replace("T", " ");
}
