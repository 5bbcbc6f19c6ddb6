import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { thumbprint } from "@sabika/protocol";
import { KitError } from "./kit_error.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" };

/** A private key in PEM, also with a passphrase, which Web Crypto does not read; and what errors call it. */
export interface PrivatePem {
  /** Where it is, such as the path of its file. */
  place: string;
  pem: string;
  /** Its passphrase, if it is encrypted. */
  passphrase?: string | undefined;
}

/**
 * Reads a P-256 private key from PEM: PKCS#8, also encrypted, or SEC 1.
 *
 * @throws {KitError} if it is none, or its passphrase is missing or wrong
 */
function readPrivateKey({ place, pem, passphrase }: PrivatePem): KeyObject {
  const isEncrypted = /ENCRYPTED/.test(pem);
  if (isEncrypted && passphrase === undefined) {
    throw new KitError(place, "it has a passphrase; give it, as SABIKA_KIT_PASSPHRASE for example");
  }
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey({ key: pem, passphrase });
  } catch {
    if (isEncrypted) throw new KitError(place, "the passphrase does not open it");
    // The reasons differ between runtimes; none of them is safe to repeat about a private key.
  }
  if (key?.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw new KitError(place, "it is not a P-256 private key in PEM (Spec §5: ES256)");
}

/**
 * Reads the private key of a certificate, and checks that they belong together, because errors of TLS libraries
 * are unclear.
 *
 * @param certificatePem the client's certificate, possibly followed by its chain
 * @returns the key in PKCS#8, in PEM, without a passphrase
 * @throws {KitError} if the key is unreadable or belongs to another certificate
 */
export function readKeyOfCertificate(source: PrivatePem, certificatePem: string): string {
  const key = readPrivateKey(source);
  if (belongTogether(certificatePem, key)) {
    return key.export({ type: "pkcs8", format: "pem" }) as string;
  }
  throw new KitError(
    source.place,
    "it does not belong to client.crt; take the key that the certificate's CSR was made with",
  );
}

function belongTogether(certificatePem: string, key: KeyObject): boolean {
  try {
    return new X509Certificate(certificatePem).checkPrivateKey(key);
  } catch {
    return false;
  }
}

/**
 * Imports the key for signing requests; it is usable for signing only.
 *
 * @returns the key, its RFC 7638 thumbprint, and the public key
 * @throws {KitError} if it is not a P-256 key
 */
export async function importSigningKey(
  source: PrivatePem,
): Promise<{ signingKey: CryptoKey; signingKeyId: string; publicKey: JsonWebKey }> {
  const key = readPrivateKey(source);
  const der = new Uint8Array(key.export({ type: "pkcs8", format: "der" }));
  const publicKey = createPublicKey(key).export({ format: "jwk" }) as JsonWebKey;
  return {
    signingKey: await crypto.subtle.importKey("pkcs8", der, P256, false, ["sign"]),
    signingKeyId: await thumbprint(publicKey),
    publicKey,
  };
}
