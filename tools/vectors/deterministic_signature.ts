import { p256 } from "@noble/curves/nist.js";
import { decodeBase64Url, encodeBase64Url, signingInput } from "@sabika/protocol";
import type { PublishedKey } from "./published_keys.ts";

/**
 * A detached JWS whose signature follows from key and payload alone (RFC 6979), so that the files can
 * be made again byte for byte; Web Crypto takes a random number for each signature.
 *
 * @param protectedSegment the protected header in base64url, whatever it says
 */
export function signDeterministically(
  key: PublishedKey,
  protectedSegment: string,
  payload: string,
): string {
  const input = signingInput(protectedSegment, payload);
  const signature = p256.sign(input, decodeBase64Url(key.jwk.d)!, { lowS: false });
  return `${protectedSegment}..${encodeBase64Url(signature)}`;
}
