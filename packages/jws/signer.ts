import { ES256 } from "./es256.ts";

/** Signs with a P-256 key that stays where it is, such as an HSM or a key service (Decision D119). */
export interface Signer {
  /** RFC 7638 thumbprint of the public key. */
  readonly keyId: string;
  /** Signs with ES256 (RFC 7518 §3.4), hashing with SHA-256 included; resolves to r‖s, 64 bytes. */
  sign(input: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
}

/** A P-256 key for signing: in memory, or behind a signer. */
export type SigningKey = CryptoKey | Signer;

/** Signs bytes with ES256 (RFC 7518 §3.4); returns r‖s, 64 bytes. Throws TypeError when a signer returns anything but 64 bytes. */
export async function signEs256(
  key: SigningKey,
  input: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  if (!("sign" in key)) return new Uint8Array(await crypto.subtle.sign(ES256, key, input));
  const signature = await key.sign(input);
  if (signature.length === 64) return signature;
  throw new TypeError("a signer returns r‖s, 64 bytes; rawSignatureFromDer converts from DER");
}
