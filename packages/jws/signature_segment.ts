import { decodeBase64Url } from "./base64.ts";
import type { JwsErrorCode } from "./error_code.ts";
import { isSignatureInRange } from "./signature_range.ts";

/** 64 bytes are 86 letters of base64url. */
const SIGNATURE_LETTERS = 86;
const SIGNATURE_BYTES = 64;

/** Decodes the last segment of a JWS to r‖s (RFC 7518 §3.4), or returns why it is refused. */
export function decodeSignature(segment: string): Uint8Array<ArrayBuffer> | JwsErrorCode {
  // A signature that is far too long is not decoded.
  if (segment.length > 4 * SIGNATURE_LETTERS) return "signature_length";
  const signature = decodeBase64Url(segment);
  if (signature === undefined) return "signature_not_base64url";
  if (signature.length !== SIGNATURE_BYTES) return "signature_length";
  return isSignatureInRange(signature) ? signature : "signature_out_of_range";
}
