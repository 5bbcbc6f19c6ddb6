import { decodeBase64, decodeBase64Url } from "@sabika/protocol";
import { KitError } from "./kit_error.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" };

/**
 * Checks that the key of the connection belongs to its certificate, because errors of TLS libraries are
 * unclear. A certificate contains its public key as an uncompressed point, so searching for that is enough.
 *
 * @param file the key's file, for errors
 * @param certificatePem the client's certificate, possibly followed by its chain
 * @throws {KitError} if the key is unreadable or belongs to another certificate
 */
export async function checkKeyPair(
  file: string,
  privateKeyPem: string,
  certificatePem: string,
): Promise<void> {
  let point: Uint8Array;
  try {
    const bytes = firstBlock(privateKeyPem)!;
    const key = await crypto.subtle.importKey("pkcs8", bytes, P256, true, ["sign"]);
    const { x, y } = await crypto.subtle.exportKey("jwk", key);
    point = new Uint8Array([...decodeBase64Url(x!)!, ...decodeBase64Url(y!)!]);
  } catch {
    throw new KitError(file, "it is not a P-256 private key in PKCS#8 (Spec §5 Mutual TLS)");
  }
  const certificate = firstBlock(certificatePem);
  if (certificate !== undefined && holds(certificate, point)) return;
  throw new KitError(
    file,
    "it does not belong to client.crt; take the key that the certificate's CSR was made with",
  );
}

function firstBlock(pem: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = /-----BEGIN [A-Z ]+-----([^-]+)-----END/.exec(pem)?.[1];
  return base64 === undefined ? undefined : decodeBase64(base64.replace(/\s+/g, ""));
}

function holds(bytes: Uint8Array, part: Uint8Array): boolean {
  const last = bytes.length - part.length;
  for (let at = 0; at <= last; at++) {
    if (part.every((byte, n) => bytes[at + n] === byte)) return true;
  }
  return false;
}
