import { DER_OBJECT_ID, DER_SEQUENCE, type DerElement, readDerSequence, sameBytes } from "./der.ts";
import type { KeyErrorCode } from "./key_error_code.ts";

/** id-ecPublicKey, 1.2.840.10045.2.1 (RFC 5480 §2.1.1). */
const EC_PUBLIC_KEY = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01);
/** secp256r1, 1.2.840.10045.3.1.7 (RFC 5480 §2.1.1.1). */
const SECP256R1 = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07);

/**
 * Returns why an AlgorithmIdentifier is not that of an EC key on the named curve P-256; undefined if it is.
 *
 * Explicit parameters are refused even if they are those of P-256 (RFC 5480 §2.1.1): they were once used
 * to pass off a foreign generator as the real one (CVE-2020-0601).
 */
export function algorithmError(algorithm: DerElement | undefined): KeyErrorCode | undefined {
  if (algorithm?.tag !== DER_SEQUENCE) return "not_a_key";
  const [kind, parameters, more] = readDerSequence(algorithm.content) ?? [];
  if (kind?.tag !== DER_OBJECT_ID) return "not_a_key";
  if (!sameBytes(kind.content, EC_PUBLIC_KEY)) return "not_p256";
  if (parameters?.tag === DER_SEQUENCE) return "explicit_parameters";
  const named = parameters?.tag === DER_OBJECT_ID && sameBytes(parameters.content, SECP256R1);
  if (!named) return "not_p256";
  // Each key has one encoding in DER; anything after the parameters would allow others.
  return more === undefined ? undefined : "not_a_key";
}
