/** The five parts of the string that a partner signs. */
export interface CanonicalParts {
  /** The method as in the request line: `POST`. */
  readonly method: string;
  /** Absolute URL or path, any query string included; byte for byte as sent (Decision D20). */
  readonly url: string;
  /** Lower-case hex SHA-256 of the raw body bytes (Decision D21). */
  readonly bodySha256: string;
  /** The text of X-Timestamp. */
  readonly timestamp: string;
  /** The text of X-Nonce. */
  readonly nonce: string;
}

/**
 * Joins the five parts with line feeds, without one at the end (Spec §5 Signed requests).
 *
 * @throws {RangeError} when a part holds a line feed: two requests could have one string
 *
 * @example
 * canonicalString({
 *   method: "POST",
 *   url: "https://127.0.0.1:8443/v1/orders",
 *   bodySha256: await sha256Hex(body),
 *   timestamp: "1795167000",
 *   nonce: "0123456789abcdef",
 * });
 */
export function canonicalString(parts: CanonicalParts): string {
  const { method, url, bodySha256, timestamp, nonce } = parts;
  if (
    method.includes("\n") || url.includes("\n") || bodySha256.includes("\n") ||
    timestamp.includes("\n") || nonce.includes("\n")
  ) {
    throw new RangeError("a part of the canonical string holds a line feed");
  }
  return `${method}\n${url}\n${bodySha256}\n${timestamp}\n${nonce}`;
}
