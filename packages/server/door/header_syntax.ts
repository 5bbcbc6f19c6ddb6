import { isIdempotencyKey, JSON_MEDIA_TYPE, type Refusal, refuse } from "@sabika/protocol";
import type {
  AdmittedCall,
  Before,
  Counted,
  DeclaredJson,
  Keyed,
  Read,
  SingleHeaders,
  Uncompressed,
} from "../call/findings.ts";
import { isMediaType } from "../call/media_type.ts";
import type { ReceivedCall } from "../call/received_call.ts";
import type { Checked } from "./door.ts";

/**
 * Checks that no header but a list such as Accept comes twice: libraries join some duplicates with a comma
 * and silently keep the first of others, so two readers could see different requests.
 */
export function singleHeaders<C extends AdmittedCall & Counted>(
  call: C & Before<Read>,
): Checked<C & SingleHeaders> {
  return repeatedHeader(call) ?? Object.assign(call, { hasSingleHeaders: true as const });
}

function repeatedHeader({ incoming: { headers, rawHeaders } }: ReceivedCall): Refusal | undefined {
  // There are as many names as lines, so no header came twice.
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

// Headers that are lists, which a proxy may split over several lines; no check reads them.
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

// The answer does not repeat names that the caller made up.
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

/** Checks that the body is not compressed, before it is read; the service decompresses nothing. */
export function noContentEncoding<C extends ReceivedCall & SingleHeaders>(
  call: C & Before<Read>,
): Checked<C & Uncompressed> {
  const encoding = call.header("content-encoding");
  return encoding === undefined || encoding === "identity"
    ? Object.assign(call, { contentEncoding: "identity" as const })
    : refuse("unsupported_media_type", "Content-Encoding is not supported.");
}

/** Checks that Content-Type declares JSON in UTF-8. */
export function jsonContentType<C extends ReceivedCall & SingleHeaders>(
  call: C & Before<Read>,
): Checked<C & DeclaredJson> {
  return isMediaType(call.header("content-type"), JSON_MEDIA_TYPE)
    ? Object.assign(call, { mediaType: JSON_MEDIA_TYPE } as const)
    : refuse("unsupported_media_type", "Content-Type must be application/json.");
}

/** Checks that there is an Idempotency-Key of 1 to 255 visible ASCII characters (Decision D27). */
export function idempotencyKey<C extends ReceivedCall & SingleHeaders>(
  call: C & Before<Read>,
): Checked<C & Keyed> {
  const idempotencyKey = call.header("idempotency-key");
  if (idempotencyKey === undefined) return refuse("idempotency_key_missing");
  return isIdempotencyKey(idempotencyKey)
    ? Object.assign(call, { idempotencyKey })
    : refuse("idempotency_key_invalid");
}
