/** A moment as the database takes it. */
export function toMoment(ms: number): string {
  return new Date(ms).toISOString();
}

/** A moment as postgres.js gives it here: text with a zone, such as `2026-11-20 09:00:00.123+00`. */
export function fromMoment(text: string): number {
  return Date.parse(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
}
