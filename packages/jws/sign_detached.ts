import { encodeBase64Url } from "./base64.ts";
import { encodeProtectedHeader } from "./protected_header.ts";
import { signEs256, type SigningKey } from "./signer.ts";
import { signingInput } from "./signing_input.ts";

/** Optional content of a signature. */
export interface SignOptions {
  /** RFC 7638 thumbprint of the key; names it in `kid`, so that a verifier need not try others. */
  readonly keyId?: string | undefined;
}

/**
 * Signs a payload; returns a detached ES256 JWS, `<protected header>..<signature>` (Decision D22).
 *
 * @param payload bytes, or text, which is signed as UTF-8
 * @throws {TypeError} when `keyId` is not a thumbprint, or a signer returns anything but 64 bytes
 */
export async function signDetached(
  payload: string | Uint8Array,
  key: SigningKey,
  options: SignOptions = {},
): Promise<string> {
  const protectedSegment = encodeProtectedHeader(options.keyId);
  const input = signingInput(protectedSegment, payload);
  return `${protectedSegment}..${encodeBase64Url(await signEs256(key, input))}`;
}
