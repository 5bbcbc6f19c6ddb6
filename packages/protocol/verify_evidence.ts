import { canonicalString, sha256Hex } from "../canonical/mod.ts";
import { parseDetached, verifyParsed } from "../jws/mod.ts";
import { encodeUtf8 } from "./bytes.ts";
import type { SignedEvidence } from "./resources/evidence.ts";

/**
 * Verifies kept evidence (Decision D86): whether the key signed exactly this request.
 *
 * @param publicKey the key that `keyId` names, P-256, for verifying
 *
 * @example
 * const isSigned = await verifyEvidence(evidence.requests[0]!, publicKey);
 */
export async function verifyEvidence(
  { timestampSeconds, nonce, url, body, signature }: SignedEvidence,
  publicKey: CryptoKey,
): Promise<boolean> {
  const jws = parseDetached(signature);
  if (!jws.ok) return false;
  const bodySha256 = await sha256Hex(encodeUtf8(body));
  const timestamp = String(timestampSeconds);
  const canonical = canonicalString({ method: "POST", url, bodySha256, timestamp, nonce });
  return await verifyParsed(jws, canonical, publicKey);
}
