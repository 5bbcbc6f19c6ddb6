import { decodeBase64Url, encodeBase64Url } from "./base64.ts";
import type { JwsErrorCode } from "./error_code.ts";

/** The content of a protected header besides its three fixed members. */
export interface ProtectedHeader {
  readonly ok: true;
  /** RFC 7638 thumbprint of the key that signed; undefined if the signer did not name it. */
  readonly keyId: string | undefined;
}

/** Four times what a header without blanks needs (126 characters). */
const MAX_SEGMENT_CHARACTERS = 512;
const MAX_CACHED_HEADERS = 1024;

const KEY_ID = /^[A-Za-z0-9_-]{43}$/;
const ASCII_WITHOUT_ESCAPES = /^[\t\n\r\x20-\x5b\x5d-\x7e]*$/;

const WITHOUT_KEY_ID = encodeAscii(`{"alg":"ES256","b64":false,"crit":["b64"]}`);

// Nearly all requests of a partner have the same header, so valid headers are cached by their segment. The
// oldest is evicted first: a flood of different headers costs time, and at most 1,024 entries.
const cachedHeaders = new Map<string, ProtectedHeader>();

/**
 * Makes a protected header with `alg`, `b64`, `crit` and, if given, `kid` (Decision D22).
 *
 * @param keyId RFC 7638 thumbprint of the signing key
 * @returns the first segment of the JWS, in base64url
 * @throws TypeError when `keyId` is not a thumbprint
 */
export function encodeProtectedHeader(keyId: string | undefined): string {
  if (keyId === undefined) return WITHOUT_KEY_ID;
  if (!KEY_ID.test(keyId)) throw new TypeError("keyId must be an RFC 7638 thumbprint");
  return encodeAscii(`{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${keyId}"}`);
}

/**
 * Reads a protected header, the first segment of the JWS: exactly `alg: "ES256"`, `b64: false`,
 * `crit: ["b64"]` and an optional `kid`, in any order (Decision D22; RFC 7797 §6). Also refuses a segment of
 * more than 512 characters, and JSON that is not ASCII or has escapes.
 *
 * @returns the header, or the code of the first rule that it breaks
 */
export function decodeProtectedHeader(segment: string): ProtectedHeader | JwsErrorCode {
  const cached = cachedHeaders.get(segment);
  if (cached !== undefined) return cached;
  const header = parseHeader(segment);
  if (typeof header !== "string") {
    if (cachedHeaders.size >= MAX_CACHED_HEADERS) {
      cachedHeaders.delete(cachedHeaders.keys().next().value!);
    }
    cachedHeaders.set(segment, header);
  }
  return header;
}

function parseHeader(segment: string): ProtectedHeader | JwsErrorCode {
  if (segment.length > MAX_SEGMENT_CHARACTERS) return "header_malformed";
  const bytes = decodeBase64Url(segment);
  if (bytes === undefined) return "header_not_base64url";
  const text = String.fromCharCode(...bytes);
  // A valid header is plain ASCII without escapes; this also refuses a BOM.
  if (!ASCII_WITHOUT_ESCAPES.test(text)) return "header_malformed";
  const members = parseObject(text);
  if (members === undefined) return "header_malformed";
  const names = Object.keys(members);
  for (const name of names) {
    if (name !== "alg" && name !== "b64" && name !== "crit" && name !== "kid") {
      return "header_member_unknown";
    }
  }
  if (members["alg"] !== "ES256") return "alg_not_es256";
  if (members["b64"] !== false) return "b64_not_false";
  const crit = members["crit"];
  if (!Array.isArray(crit) || crit.length !== 1 || crit[0] !== "b64") return "crit_not_b64";
  const keyId = members["kid"];
  if (Object.hasOwn(members, "kid") && !(typeof keyId === "string" && KEY_ID.test(keyId))) {
    return "kid_malformed";
  }
  // JSON.parse drops all but the last of members with one name. Names and values are known by now and contain
  // no colon, so a text with more colons than names has a duplicate.
  if (text.split(":").length - 1 !== names.length) return "header_member_duplicate";
  return { ok: true, keyId: keyId as string | undefined };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

function encodeAscii(text: string): string {
  // Not Uint8Array.from: k6 takes no string there.
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return encodeBase64Url(bytes);
}
