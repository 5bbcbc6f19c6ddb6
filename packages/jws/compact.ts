import { decodeBase64Url, encodeBase64Url } from "./base64.ts";
import type { JwsErrorCode } from "./error_code.ts";
import { encodeAscii, isKeyId, readHeaderMembers } from "./header_members.ts";
import type { DetachedJws } from "./parse_detached.ts";
import { decodeSignature } from "./signature_segment.ts";
import { signEs256, type SigningKey } from "./signer.ts";
import { signingInput } from "./signing_input.ts";

/** Reasons to refuse a compact JWS. */
export type CompactJwsErrorCode = JwsErrorCode | "typ_mismatch" | "payload_not_base64url";

/**
 * A compact JWS that is well-formed; whether its signature fits is still open: `verifyParsed(jws,
 * jws.payloadSegment, publicKey)`.
 */
export interface CompactJws extends DetachedJws {
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  /** The second segment as received: what the signature covers. */
  readonly payloadSegment: string;
  /** The decoded payload. */
  readonly payload: Uint8Array<ArrayBuffer>;
}

const NAMES = ["alg", "kid", "typ"];
const TYPE = /^[a-z0-9+.-]+$/;

/**
 * Reads `<protected header>.<payload>.<signature>` (RFC 7515 §7.1) without verifying it. The header has exactly
 * `alg: "ES256"`, `kid` and `typ`, in any order and each once.
 *
 * @param typ the type that it must name, so that no other document passes for this one
 *
 * @example
 * const jws = parseCompact(text, "sabika-receipt");
 * if (jws.ok) console.log(await verifyParsed(jws, jws.payloadSegment, publicKey));
 */
export function parseCompact(
  jws: string,
  typ: string,
): CompactJws | { readonly ok: false; readonly code: CompactJwsErrorCode } {
  const [protectedSegment = "", payloadSegment, encoded, more] = jws.split(".", 4);
  if (payloadSegment === undefined || encoded === undefined || more !== undefined) {
    return refused("not_three_segments");
  }
  const header = readHeaderMembers(protectedSegment, NAMES);
  if (typeof header === "string") return refused(header);
  const { members: { alg, kid, typ: found }, hasDuplicate } = header;
  if (alg !== "ES256") return refused("alg_not_es256");
  if (!isKeyId(kid)) return refused("kid_malformed");
  if (found !== typ) return refused("typ_mismatch");
  if (hasDuplicate) return refused("header_member_duplicate");
  const payload = decodeBase64Url(payloadSegment);
  if (payload === undefined) return refused("payload_not_base64url");
  const signature = decodeSignature(encoded);
  if (typeof signature === "string") return refused(signature);
  return { ok: true, protectedSegment, keyId: kid, payloadSegment, payload, signature };
}

/**
 * Signs a payload; returns a compact ES256 JWS.
 *
 * @param header `typ` of lower-case letters, digits, plus, full stop and hyphen; `keyId` is the RFC 7638
 * thumbprint of the key
 * @throws {TypeError} when `typ` or `keyId` has another form, or a signer returns anything but 64 bytes
 *
 * @example
 * const jws = await signCompact(payload, privateKey, { typ: "sabika-receipt", keyId });
 */
export async function signCompact(
  payload: Uint8Array,
  key: SigningKey,
  { typ, keyId }: { readonly typ: string; readonly keyId: string },
): Promise<string> {
  if (!TYPE.test(typ)) throw new TypeError("typ has a character that is not allowed");
  if (!isKeyId(keyId)) throw new TypeError("keyId must be an RFC 7638 thumbprint");
  const protectedSegment = encodeAscii(`{"alg":"ES256","kid":"${keyId}","typ":"${typ}"}`);
  const payloadSegment = encodeBase64Url(payload);
  const input = signingInput(protectedSegment, payloadSegment);
  const signature = encodeBase64Url(await signEs256(key, input));
  return `${protectedSegment}.${payloadSegment}.${signature}`;
}

function refused(code: CompactJwsErrorCode) {
  return { ok: false as const, code };
}
