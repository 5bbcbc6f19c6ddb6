/** Epoch milliseconds as a timestamp for the database. */
export function toMoment(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * A timestamp of the database, such as `2026-11-20 09:00:00.123+00`, as epoch milliseconds. V8
 * reads it as it stands, faster than rewritten as ISO 8601.
 */
export function fromMoment(text: string): number {
  return Date.parse(text);
}
