import { encodeBase64Url } from "./base64.ts";
import { ES256 } from "./es256.ts";
import { encodeProtectedHeader } from "./protected_header.ts";
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
 * @throws {TypeError} when `keyId` is not a thumbprint
 */
export async function signDetached(
  payload: string | Uint8Array,
  privateKey: CryptoKey,
  options: SignOptions = {},
): Promise<string> {
  const protectedSegment = encodeProtectedHeader(options.keyId);
  const input = signingInput(protectedSegment, payload);
  const signature = await crypto.subtle.sign(ES256, privateKey, input);
  return `${protectedSegment}..${encodeBase64Url(new Uint8Array(signature))}`;
}
