import type { PartnerRecord } from "@sabika/core/partners";
import {
  checkSignedHeaders,
  checkTimestampWindow,
  type Refusal,
  sha256Hex,
  type VerificationKey,
  verifySignedRequest,
} from "@sabika/protocol";
import type { Call, Check } from "../call.ts";

/** X-Timestamp, X-Nonce and X-JWS-Signature are there and have their forms (Decisions D22, D24, D25). */
export function signedHeaders(call: Call): Refusal | undefined {
  const checked = checkSignedHeaders({
    timestamp: call.header("x-timestamp"),
    nonce: call.header("x-nonce"),
    signature: call.header("x-jws-signature"),
  });
  if (!checked.ok) return checked;
  call.signed = checked;
  return undefined;
}

/** X-Timestamp lies within 300 s of the moment of receipt, inclusive (Decision D24). */
export function timestampWindow(call: Call): Refusal | undefined {
  return checkTimestampWindow(signedOf(call).timestampSeconds, call.receivedAtMs);
}

/**
 * The detached signature fits method, URL, body, timestamp and nonce under one of the partner's
 * active keys (Spec §5 Signed requests; Decisions D20 to D23).
 *
 * @param baseUrl from configuration; the signed URL is never built from the Host header
 */
export function signatureCheck(baseUrl: string, now: () => number): Check {
  return async (call) => {
    if (call.partner === undefined) throw new TypeError("the certificate check must come first");
    const verified = await verifySignedRequest({
      method: call.method,
      baseUrl,
      target: call.target,
      bodySha256: await sha256Hex(call.body),
      headers: signedOf(call),
      keys: activeKeys(call.partner, now()),
    });
    if (!verified.ok) return verified;
    call.verified = verified;
    return undefined;
  };
}

function signedOf(call: Call) {
  if (call.signed === undefined) throw new TypeError("the header check must come first");
  return call.signed;
}

/** The partner's signing keys that count now. */
export function activeKeys(partner: PartnerRecord, nowMs: number): readonly VerificationKey[] {
  const { signingKeys } = partner;
  // Nearly every partner has one key, and it is good: no new list for that.
  if (signingKeys.length === 1 && isActive(signingKeys[0]!, nowMs)) return signingKeys;
  return signingKeys.filter((key) => isActive(key, nowMs));
}

function isActive(key: PartnerRecord["signingKeys"][number], nowMs: number): boolean {
  return key.validFromMs <= nowMs && (key.validUntilMs === null || nowMs < key.validUntilMs);
}
