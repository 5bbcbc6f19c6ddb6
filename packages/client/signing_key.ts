import { decodePem, importPrivatePem, publicJwk, thumbprint } from "@sabika/protocol";
import { KitError } from "./kit_error.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" };

/**
 * Imports the key that requests are signed with, usable for signing only.
 *
 * @param file named in errors
 * @param keyId the RFC 7638 thumbprint that the kit states; null when it states none
 * @throws {KitError} when it is no P-256 key, or not the one that the kit states
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

/** The thumbprint of a private key's public half, if the key says what that is. */
async function readKeyId(pem: string): Promise<string | undefined> {
  try {
    const key = await crypto.subtle.importKey("pkcs8", decodePem(pem)!.bytes, P256, true, ["sign"]);
    return await thumbprint(await publicJwk(key));
  } catch {
    return undefined;
  }
}
