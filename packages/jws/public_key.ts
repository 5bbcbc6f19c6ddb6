import { isOnCurve } from "./curve.ts";
import { DER_BIT_STRING, DER_INTEGER, DER_SEQUENCE, readDer, readDerSequence } from "./der.ts";
import { P256 } from "./es256.ts";
import { algorithmError } from "./key_algorithm.ts";
import { type KeyImport, refusedKey } from "./key_error_code.ts";
import { pointFromJwk } from "./jwk.ts";
import { decodePem } from "./pem.ts";

/** 0x04, x, y (SEC 1 §2.3.3). */
const UNCOMPRESSED_BYTES = 65;

/**
 * Imports a partner's public key from a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7). It accepts
 * only an uncompressed point on the named curve P-256 (Decision D23). The key is extractable.
 */
export async function importPublicSpki(der: Uint8Array): Promise<KeyImport> {
  const outer = readDer(der, 0);
  if (outer?.tag !== DER_SEQUENCE || outer.end !== der.length) return refusedKey("not_a_key");
  const parts = readDerSequence(outer.content);
  if (parts === undefined) return refusedKey("not_a_key");
  // PKCS #8 and SEC 1 private keys begin with a version number.
  if (parts[0]?.tag === DER_INTEGER) return refusedKey("private_key");
  const error = algorithmError(parts[0]);
  if (error !== undefined) return refusedKey(error);
  const [, bits] = parts;
  // The first byte of a BIT STRING counts idle bits.
  if (parts.length !== 2 || bits?.tag !== DER_BIT_STRING || bits.content[0] !== 0) {
    return refusedKey("not_a_key");
  }
  return await importPublicPoint(bits.content.subarray(1));
}

/** Imports a public key like `importPublicSpki`, but from PEM with the label PUBLIC KEY (RFC 7468 §13). */
export async function importPublicPem(pem: string): Promise<KeyImport> {
  const block = decodePem(pem);
  if (block === undefined) return refusedKey("not_a_key");
  if (block.label.endsWith("PRIVATE KEY")) return refusedKey("private_key");
  if (block.label !== "PUBLIC KEY") return refusedKey("not_a_key");
  return await importPublicSpki(block.bytes);
}

/** Imports a public key like `importPublicSpki`, but from a JSON Web Key (RFC 7518 §6.2.1). */
export async function importPublicJwk(jwk: unknown): Promise<KeyImport> {
  const point = pointFromJwk(jwk);
  return point instanceof Uint8Array ? await importPublicPoint(point) : refusedKey(point);
}

async function importPublicPoint(point: Uint8Array): Promise<KeyImport> {
  if (point[0] === 0) return refusedKey("point_at_infinity");
  if (point[0] === 2 || point[0] === 3) return refusedKey("compressed_point");
  if (point[0] !== 4 || point.length !== UNCOMPRESSED_BYTES) return refusedKey("not_a_key");
  if (!isOnCurve(point.subarray(1, 33), point.subarray(33))) return refusedKey("not_on_curve");
  // A copy, so that the kind of the caller's buffer does not matter.
  const key = await crypto.subtle.importKey("raw", point.slice(), P256, true, ["verify"]);
  return { ok: true, key };
}
