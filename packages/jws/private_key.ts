import { DER_INTEGER, DER_SEQUENCE, readDer, readDerSequence } from "./der.ts";
import { P256 } from "./es256.ts";
import { algorithmError } from "./key_algorithm.ts";
import { type KeyImport, refusedKey } from "./key_error_code.ts";
import { decodePem } from "./pem.ts";

/** Imports a signing key on the named curve P-256 from PKCS #8 (RFC 5208), not extractable. */
export async function importPrivatePkcs8(der: Uint8Array): Promise<KeyImport> {
  const outer = readDer(der, 0);
  if (outer?.tag !== DER_SEQUENCE || outer.end !== der.length) return refusedKey("not_a_key");
  const [version, algorithm] = readDerSequence(outer.content) ?? [];
  if (version?.tag === DER_SEQUENCE) return refusedKey("public_key");
  if (version?.tag !== DER_INTEGER) return refusedKey("not_a_key");
  const error = algorithmError(algorithm);
  if (error !== undefined) return refusedKey(error);
  try {
    const key = await crypto.subtle.importKey("pkcs8", der.slice(), P256, false, ["sign"]);
    return { ok: true, key };
  } catch {
    // The reasons differ between runtimes; none of them is safe to repeat about a private key.
    return refusedKey("not_a_key");
  }
}

/** Imports a signing key like `importPrivatePkcs8`, but from PEM with the label PRIVATE KEY (RFC 7468 §10). */
export async function importPrivatePem(pem: string): Promise<KeyImport> {
  const block = decodePem(pem);
  if (block === undefined) return refusedKey("not_a_key");
  if (block.label === "PUBLIC KEY") return refusedKey("public_key");
  if (block.label !== "PRIVATE KEY") return refusedKey("not_a_key");
  return await importPrivatePkcs8(block.bytes);
}
