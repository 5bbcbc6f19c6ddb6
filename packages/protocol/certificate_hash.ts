import { decodeHex, encodeBase64Url } from "./bytes.ts";

// The sidecar replaces the whole header by this element; anything else does not come from it.
const FORWARDED = /^Hash=([0-9a-f]{64})$/;
const HASH = /^[0-9a-f]{64}$/;

/**
 * Reads the certificate's SHA-256 from `x-forwarded-client-cert: Hash=<64 hex>`.
 *
 * @returns the hash in lower-case hexadecimal, or undefined when the header has any other form
 */
export function readForwardedCertificateHash(header: string): string | undefined {
  return FORWARDED.exec(header)?.[1];
}

/** Writes the value of `x-forwarded-client-cert` for a hash in lower-case hexadecimal. */
export function forwardedCertificateHash(hashHex: string): string {
  return `Hash=${hashHex}`;
}

/**
 * Converts a certificate's SHA-256 from the form that TLS libraries and openssl print
 * (`AB:CD:…`, either case) to 64 lower-case digits; undefined for anything else.
 */
export function normaliseCertificateHash(fingerprint: string): string | undefined {
  const hex = fingerprint.replaceAll(":", "").toLowerCase();
  return HASH.test(hex) ? hex : undefined;
}

/**
 * Converts a certificate's hash to base64url, as in `x5t#S256` of a token's `cnf` (RFC 8705 §3.1).
 *
 * @throws {TypeError} when `hashHex` is not 64 hexadecimal digits
 */
export function hexToThumbprint(hashHex: string): string {
  const bytes = decodeHex(hashHex);
  if (bytes?.length !== 32) throw new TypeError("not a SHA-256 in hexadecimal");
  return encodeBase64Url(bytes);
}
