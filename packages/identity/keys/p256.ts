import { encodeBase64, encodeHex } from "@sabika/protocol";

/** ECDSA, P-256, SHA-256: the only algorithm of keys and certificates (Spec §5, Decision D23). */
export const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Every SubjectPublicKeyInfo of an uncompressed key on the named curve P-256 begins like this. */
const SPKI_PREFIX = "3059301306072a8648ce3d020106082a8648ce3d03010703420004";

/**
 * Whether a SubjectPublicKeyInfo (DER) holds an uncompressed key on the named curve P-256.
 * Other curves, RSA, explicit parameters, compressed points and infinity all differ in these bytes.
 */
export function isP256PublicKey(spki: ArrayBuffer): boolean {
  return spki.byteLength === 91 && encodeHex(new Uint8Array(spki, 0, 27)) === SPKI_PREFIX;
}

/** Makes an extractable key pair. */
export function generateP256(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ES256, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

/** Imports a PKCS#8 private key only for signing; it is not extractable. */
export function importPrivateKey(pkcs8: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), ES256, false, ["sign"]);
}

/** Signs once with a PKCS#8 private key: the signature's two numbers, 32 bytes each. */
export async function signOpened(pkcs8: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const key = await importPrivateKey(pkcs8);
  return new Uint8Array(await crypto.subtle.sign(ES256, key, new Uint8Array(data)));
}

/** Exports a private key as PKCS#8 DER. */
export async function exportPrivateKey(privateKey: CryptoKey): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
}

/** Writes DER as PEM under a label such as `PRIVATE KEY` (RFC 7468 §2). */
export function toPem(label: string, der: Uint8Array): string {
  const base64 = encodeBase64(der).replace(/(.{64})(?=.)/g, "$1\n");
  return `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`;
}
