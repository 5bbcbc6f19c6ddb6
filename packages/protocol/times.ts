const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/;
const UNIX_SECONDS = /^[1-9][0-9]{0,10}$/;

/** Formats epoch milliseconds as RFC 3339 in UTC: `2026-11-20T09:30:00.000Z` (Decision D7). */
export function formatTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Reads what `formatTime` writes, with or without milliseconds; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  if (!RFC_3339.test(text)) return undefined;
  const epochMs = Date.parse(text);
  if (Number.isNaN(epochMs)) return undefined;
  // Some engines turn 31 February into March, so the result is written back and compared.
  const full = text.length === 20 ? `${text.slice(0, 19)}.000Z` : text;
  return formatTime(epochMs) === full ? epochMs : undefined;
}

/** Reads an X-Timestamp, `^[1-9][0-9]{0,10}$` (Decision D24), as Unix seconds; otherwise undefined. */
export function parseUnixSeconds(text: string): number | undefined {
  return UNIX_SECONDS.test(text) ? Number(text) : undefined;
}
