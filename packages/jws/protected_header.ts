import type { JwsErrorCode } from "./error_code.ts";
import { encodeAscii, isKeyId, readHeaderMembers } from "./header_members.ts";

/** The content of a protected header besides its three fixed members. */
export interface ProtectedHeader {
  readonly ok: true;
  /** RFC 7638 thumbprint of the key that signed; undefined if the signer did not name it. */
  readonly keyId: string | undefined;
}

const MAX_CACHED_HEADERS = 1024;
const NAMES = ["alg", "b64", "crit", "kid"];

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
  if (!isKeyId(keyId)) throw new TypeError("keyId must be an RFC 7638 thumbprint");
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
  const header = readHeaderMembers(segment, NAMES);
  if (typeof header === "string") return header;
  const { members, hasDuplicate } = header;
  if (members["alg"] !== "ES256") return "alg_not_es256";
  if (members["b64"] !== false) return "b64_not_false";
  const crit = members["crit"];
  if (!Array.isArray(crit) || crit.length !== 1 || crit[0] !== "b64") return "crit_not_b64";
  const isNamed = Object.hasOwn(members, "kid");
  const keyId = members["kid"];
  if (isNamed && !isKeyId(keyId)) return "kid_malformed";
  if (hasDuplicate) return "header_member_duplicate";
  return { ok: true, keyId: isNamed ? keyId as string : undefined };
}
