import { encodeHex, sha256Hex } from "../canonical/mod.ts";
import { type DetachedJws, encodeBase64Url, signingInput, verifyParsed } from "../jws/mod.ts";
import { encodeUtf8 } from "./bytes.ts";
import type { DiagnosisForm } from "./diagnosis_forms.ts";

const OTHER_DIGESTS = ["SHA-512", "SHA-384", "SHA-1"];

/**
 * Finds the mistake when the right string was signed in another way than as a detached JWS with
 * ES256 and `b64=false` (Decision D15); undefined when none of the common ones fits.
 */
export async function signedOtherwise(
  jws: DetachedJws,
  text: string,
  publicKey: CryptoKey,
): Promise<DiagnosisForm | undefined> {
  const fitsPayload = (payload: string | Uint8Array) => verifyParsed(jws, payload, publicKey);
  const fits = (input: Uint8Array<ArrayBuffer>, hash = "SHA-256") =>
    crypto.subtle.verify({ name: "ECDSA", hash }, publicKey, jws.signature, input);

  const input = signingInput(jws.protectedSegment, text);
  const canonical = encodeUtf8(text);
  if (await fitsPayload(encodeBase64Url(canonical))) return "payload_base64url";
  if (await fits(canonical)) return "header_not_signed";
  const hashed = await sha256(input);
  if (await fits(hashed) || await fits(encodeUtf8(encodeHex(hashed)))) return "double_hash";
  if (await fitsPayload(await sha256(canonical)) || await fitsPayload(await sha256Hex(canonical))) {
    return "double_hash";
  }
  for (const digest of OTHER_DIGESTS) if (await fits(input, digest)) return "signature_not_sha256";
  return undefined;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
