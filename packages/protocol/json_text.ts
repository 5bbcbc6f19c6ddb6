// What JSON must escape, and lone surrogates, which have no UTF-8.
// deno-lint-ignore no-control-regex
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Writes a string as JSON text, with its quotes. */
export function jsonString(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Writes a string or null as JSON text. */
export function jsonStringOrNull(text: string | null): string {
  return text === null ? "null" : jsonString(text);
}
