import { decodePem, importPrivatePem, publicJwk, thumbprint } from "@sabika/protocol";
import { KitError } from "./kit_error.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" };

/**
 * Imports the key for signing requests; it is usable for signing only.
 *
 * @param file the key's file, for errors
 * @param keyId the RFC 7638 thumbprint in the kit; null if the kit has none
 * @throws {KitError} if it is not a P-256 key, or not the key that the kit names
 */
export async function importSigningKey(
  file: string,
  pem: string,
  keyId: string | null,
): Promise<{ signingKey: CryptoKey; signingKeyId: string }> {
  const imported = await importPrivatePem(pem);
  const signingKeyId = imported.ok ? await readKeyId(pem) : undefined;
  if (!imported.ok || signingKeyId === undefined) {
    throw new KitError(file, "it is not a P-256 private key in PKCS#8 (Spec §5: ES256)");
  }
  if (keyId !== null && keyId !== signingKeyId) {
    throw new KitError(
      file,
      'it is not the key that "signing_key_id" of partner.json names; put the registered key here',
    );
  }
  return { signingKey: imported.key, signingKeyId };
}

/** Computes the thumbprint of a private key; undefined if the key does not contain its public key. */
async function readKeyId(pem: string): Promise<string | undefined> {
  try {
    const key = await crypto.subtle.importKey("pkcs8", decodePem(pem)!.bytes, P256, true, ["sign"]);
    return await thumbprint(await publicJwk(key));
  } catch {
    return undefined;
  }
}
