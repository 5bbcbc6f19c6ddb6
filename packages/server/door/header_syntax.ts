import {
  FORM_MEDIA_TYPE,
  isIdempotencyKey,
  JSON_MEDIA_TYPE,
  type Refusal,
  refuse,
} from "@sabika/protocol";
import type { Call } from "../call.ts";

/**
 * No header may come twice: libraries join some doubles with a comma and silently keep the first
 * of others, so two readers could see two requests in one.
 */
export function duplicateHeaders(call: Call): Refusal | undefined {
  const { headers, rawHeaders } = call.incoming;
  // As many names as lines: nothing came twice. Only when not, look which.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return undefined;
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (seen.has(name) && !MAY_REPEAT.has(name)) {
      return refuse("duplicate_header", {
        meta: KNOWN_NAMES.has(name) ? { header: name } : undefined,
      });
    }
    seen.add(name);
  }
  return undefined;
}

// Lists by their definition, which proxies on the way may split over lines; nothing here reads them.
const MAY_REPEAT: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "cookie",
  "te",
  "tracestate",
  "via",
]);

// A name that a stranger made up is not repeated back to him.
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "x-jws-signature",
  "x-nonce",
  "x-timestamp",
]);

/** Every write needs an Idempotency-Key of 1 to 255 visible ASCII characters (Decision D27). */
export function idempotencyKey(call: Call): Refusal | undefined {
  const value = call.header("idempotency-key");
  if (value === undefined) return refuse("idempotency_key_missing");
  if (!isIdempotencyKey(value)) return refuse("idempotency_key_invalid");
  call.idempotencyKey = value;
  return undefined;
}

/** The body is JSON in UTF-8 and not compressed. */
export function jsonContentType(call: Call): Refusal | undefined {
  return isMediaType(call.header("content-type"), JSON_MEDIA_TYPE) ? undefined : refuse(
    "unsupported_media_type",
    { detail: "Content-Type must be application/json." },
  );
}

/** Nothing here is unpacked, so a compressed body is refused before it is read. */
export function noContentEncoding(call: Call): Refusal | undefined {
  const encoding = call.header("content-encoding");
  return encoding === undefined || encoding === "identity" ? undefined : refuse(
    "unsupported_media_type",
    { detail: "Content-Encoding is not supported." },
  );
}

/** Whether the body is a form as OAuth 2.0 wants it. */
export function isFormContentType(value: string | undefined): boolean {
  return isMediaType(value, FORM_MEDIA_TYPE);
}

function isMediaType(value: string | undefined, mediaType: string): boolean {
  if (value === mediaType) return true;
  const match = value === undefined ? null : MEDIA_TYPE.exec(value);
  return match !== null && match[1]!.toLowerCase() === mediaType;
}

// A charset is allowed when it says what holds anyway.
const MEDIA_TYPE =
  /^([A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+)(?:\s*;\s*charset=(?:utf-8|"utf-8"))?\s*$/i;
