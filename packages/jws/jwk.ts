import { decodeBase64Url, encodeBase64Url } from "./base64.ts";
import type { KeyErrorCode } from "./key_error_code.ts";

/** The four members that make a public P-256 key. */
export interface PublicJwk {
  /** An elliptic curve. */
  readonly kty: "EC";
  /** The name of the curve. */
  readonly crv: "P-256";
  /** A coordinate, base64url. */
  readonly x: string;
  /** A coordinate, base64url. */
  readonly y: string;
}

const COORDINATE_BYTES = 32;
const utf8 = new TextEncoder();

/** Exports the public members of a P-256 key, which must be extractable; throws TypeError if it is not EC. */
export async function publicJwk(key: CryptoKey): Promise<PublicJwk> {
  const { x, y } = await crypto.subtle.exportKey("jwk", key);
  if (x === undefined || y === undefined) throw new TypeError("not an EC key");
  return { kty: "EC", crv: "P-256", x, y };
}

/**
 * Computes the SHA-256 thumbprint of a key's public members, base64url, as in `kid` (RFC 7638 §3).
 * A private JWK has the thumbprint of its public key.
 *
 * @throws {TypeError} when `jwk` is not a P-256 key
 */
export async function thumbprint(jwk: JsonWebKey): Promise<string> {
  const { kty, crv, x, y } = jwk;
  if (kty !== "EC" || crv !== "P-256" || x === undefined || y === undefined) {
    throw new TypeError("not a P-256 key");
  }
  const members = `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`;
  const digest = await crypto.subtle.digest("SHA-256", utf8.encode(members));
  return encodeBase64Url(new Uint8Array(digest));
}

/** Returns the uncompressed point (65 bytes, SEC 1 §2.3.3) of a public JWK, or why the JWK is refused. */
export function pointFromJwk(jwk: unknown): Uint8Array | KeyErrorCode {
  if (typeof jwk !== "object" || jwk === null) return "not_a_key";
  const { kty, crv, x, y, alg, use, key_ops } = jwk as Record<string, unknown>;
  // d is the private number of EC; k is a shared secret.
  if ("d" in jwk || "k" in jwk) return "private_key";
  if (typeof kty !== "string") return "not_a_key";
  if (kty !== "EC" || crv !== "P-256") return "not_p256";
  if (alg !== undefined && alg !== "ES256") return "not_for_es256";
  if (use !== undefined && use !== "sig") return "not_for_es256";
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes("verify"))) {
    return "not_for_es256";
  }
  if (typeof x !== "string" || typeof y !== "string") return "not_a_key";
  const [xBytes, yBytes] = [decodeBase64Url(x), decodeBase64Url(y)];
  if (xBytes?.length !== COORDINATE_BYTES || yBytes?.length !== COORDINATE_BYTES) {
    return "not_a_key";
  }
  const point = new Uint8Array(1 + 2 * COORDINATE_BYTES);
  point[0] = 4;
  point.set(xBytes, 1);
  point.set(yBytes, 1 + COORDINATE_BYTES);
  return point;
}
