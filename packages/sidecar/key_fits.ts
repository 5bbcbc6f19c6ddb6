import type { X509Certificate } from "@peculiar/x509";

const KINDS: readonly (EcKeyImportParams | RsaHashedImportParams)[] = [
  { name: "ECDSA", namedCurve: "P-256" },
  { name: "ECDSA", namedCurve: "P-384" },
  { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
];

/**
 * Whether a private key (PKCS#8; P-256, P-384 or RSA) belongs to the certificate: the certificate's
 * public key verifies what it signs. Bytes that are not such a key give false.
 */
export async function keyFits(
  pkcs8: Uint8Array<ArrayBuffer>,
  certificate: X509Certificate,
): Promise<boolean> {
  const message = new TextEncoder().encode("does this key fit");
  for (const kind of KINDS) {
    try {
      const key = await crypto.subtle.importKey("pkcs8", pkcs8, kind, false, ["sign"]);
      const spki = certificate.publicKey.rawData;
      const publicKey = await crypto.subtle.importKey("spki", spki, kind, false, ["verify"]);
      const algorithm = { name: kind.name, hash: "SHA-256" };
      const signature = await crypto.subtle.sign(algorithm, key, message);
      return await crypto.subtle.verify(algorithm, publicKey, signature, message);
    } catch {
      // Not this kind of key: try the next.
    }
  }
  return false;
}
