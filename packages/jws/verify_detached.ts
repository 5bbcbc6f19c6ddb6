import { ES256 } from "./es256.ts";
import type { JwsRefusal } from "./error_code.ts";
import { type DetachedJws, parseDetached } from "./parse_detached.ts";
import { signingInput } from "./signing_input.ts";

/** A verified JWS, with the key id in its header if it has one, or why it is refused. */
export type Verification = { readonly ok: true; readonly keyId: string | undefined } | JwsRefusal;

/**
 * Verifies a detached ES256 JWS with unencoded payload (RFC 7797, RFC 7515 appendix F).
 *
 * @param jws `<protected header>..<signature>`
 * @param payload bytes, or text, which is verified as UTF-8
 * @param publicKey a P-256 key from `importPublicPem`, `importPublicSpki` or `importPublicJwk`
 *
 * @example
 * const verification = await verifyDetached(header, canonicalString(parts), publicKey);
 * if (!verification.ok) log(verification.code);
 */
export async function verifyDetached(
  jws: string,
  payload: string | Uint8Array,
  publicKey: CryptoKey,
): Promise<Verification> {
  const parsed = parseDetached(jws);
  if (!parsed.ok) return parsed;
  return await verifyParsed(parsed, payload, publicKey)
    ? { ok: true, keyId: parsed.keyId }
    : { ok: false, code: "signature_mismatch" };
}

/** Returns whether the signature of a well-formed JWS fits the payload and the key. */
export function verifyParsed(
  jws: DetachedJws,
  payload: string | Uint8Array,
  publicKey: CryptoKey,
): Promise<boolean> {
  const input = signingInput(jws.protectedSegment, payload);
  return crypto.subtle.verify(ES256, publicKey, jws.signature, input);
}
