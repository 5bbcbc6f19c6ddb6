import {
  type Environment,
  importPublicJwk,
  importPublicPem,
  importPublicSpki,
  type KeyErrorCode,
  type KeyImport,
  type PublicJwk,
  publicJwk,
  refuse,
  thumbprint,
} from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import { readSigningRequest } from "./signing_request.ts";
import { X509Certificate } from "./x509.ts";

/** A public key as it is registered. */
export interface SigningKey {
  /** RFC 7638 thumbprint, base64url. */
  keyId: string;
  publicJwk: PublicJwk;
}

const REASONS: Record<KeyErrorCode, string> = {
  not_a_key: "not a public key or certificate in PEM, nor a JWK",
  private_key:
    "this holds a private key: keep it, make a new one if it was sent anywhere, and give the public key",
  public_key: "not a public key that can be used here",
  not_p256: "not an EC key on the curve P-256",
  explicit_parameters: "the key does not name its curve P-256 but spells out parameters",
  compressed_point: "the point of the key is compressed: write it uncompressed",
  point_at_infinity: "the key is the point at infinity",
  not_on_curve: "the point is not on the curve P-256",
  not_for_es256: "the JWK says that it is not for verifying ES256",
};

/**
 * Reads the public key that a partner will sign with, from PEM (`PUBLIC KEY` or `CERTIFICATE`) or JWK
 * (Decision D23). Anything but a point on the named curve P-256 is refused: other curves, RSA, explicit
 * parameters, compressed or off-curve points, infinity, and a private key, which is never to be sent.
 */
export async function readSigningKey(text: string): Promise<AdminOutcome<SigningKey>> {
  const imported = await importAny(text.trim());
  if (!imported.ok) return refuse("invalid_signing_key", REASONS[imported.code]);
  return { ok: true, value: await registered(imported.key) };
}

/**
 * Reads a signing key for one partner, like `readSigningKey`, but also from a certificate signing
 * request, which proves that the
 * partner has the private key (RFC 2986 §3): in production nothing else is taken (Decision D70).
 */
export async function readSigningKeyOf(
  clientId: string,
  text: string,
  environment: Environment,
): Promise<AdminOutcome<SigningKey>> {
  if (text.includes("CERTIFICATE REQUEST-----")) {
    const request = await readSigningRequest(text, clientId);
    return request.ok ? { ok: true, value: await signingKeyOf(request.value.publicKey) } : request;
  }
  const key = await readSigningKey(text);
  if (!key.ok || environment === "sandbox") return key;
  return refuse(
    "proof_required",
    "in production a signing key comes as a certificate signing request made with it, which proves " +
      "that the partner has the private key",
  );
}

/** A key that was checked before, such as a verified request's, as it is registered. */
export async function signingKeyOf(spki: ArrayBuffer): Promise<SigningKey> {
  const imported = await importPublicSpki(new Uint8Array(spki));
  if (!imported.ok) throw new Error(`a checked key is refused: ${imported.code}`);
  return await registered(imported.key);
}

async function registered(key: CryptoKey): Promise<SigningKey> {
  const jwk = await publicJwk(key);
  return { keyId: await thumbprint(jwk), publicJwk: jwk };
}

async function importAny(text: string): Promise<KeyImport> {
  if (text.startsWith("{")) {
    try {
      return await importPublicJwk(JSON.parse(text));
    } catch {
      return { ok: false, code: "not_a_key" };
    }
  }
  if (text.includes("PRIVATE KEY-----")) return { ok: false, code: "private_key" };
  if (!text.includes("-----BEGIN CERTIFICATE-----")) return await importPublicPem(text);
  let spki: ArrayBuffer;
  try {
    spki = new X509Certificate(text).publicKey.rawData;
  } catch {
    return { ok: false, code: "not_a_key" };
  }
  return await importPublicSpki(new Uint8Array(spki));
}
