/**
 * Reads a timestamp of the database, such as `2026-11-20 09:00:00.123+00`, as epoch milliseconds. Lists
 * have thousands of them, and V8 takes three times as long for text that is not ISO 8601.
 *
 * @param text the timestamp of a session in UTC
 */
export function readMoment(text: string): number {
  const digits = text.length - "2026-11-20 09:00:00.+00".length;
  // Finer than milliseconds, or of a year of five digits.
  if (digits > 3 || text[4] !== "-") return Date.parse(text);
  const fraction = digits > 0 ? readNumber(text, 20, digits) * 10 ** (3 - digits) : 0;
  return Date.UTC(
    readNumber(text, 0, 4),
    readNumber(text, 5, 2) - 1,
    readNumber(text, 8, 2),
    readNumber(text, 11, 2),
    readNumber(text, 14, 2),
    readNumber(text, 17, 2),
    fraction,
  );
}

function readNumber(text: string, start: number, length: number): number {
  let value = 0;
  for (let at = start; at < start + length; at++) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}
