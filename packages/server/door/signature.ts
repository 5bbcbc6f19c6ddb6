import type { PartnerRecord } from "@sabika/service/partners";
import { isValidAt } from "@sabika/terms";
import {
  checkSignedHeaders,
  checkTimestampWindow,
  sha256Hex,
  skewSeconds,
  type VerificationKey,
  verifySignedRequest,
} from "@sabika/protocol";
import type {
  AuthenticatedCall,
  Read,
  Signed,
  SingleHeaders,
  Timely,
  Verified,
} from "../call/findings.ts";
import type { Checked } from "./door.ts";
import type { FailureBudget } from "./failure_budget.ts";
import { createTurns } from "./turns.ts";

/** Checks that X-Timestamp, X-Nonce and X-JWS-Signature are well-formed (Decisions D22, D24, D25). */
export function signedHeaders<C extends AuthenticatedCall & SingleHeaders>(
  call: C,
): Checked<C & Signed> {
  const signed = checkSignedHeaders({
    timestamp: call.header("x-timestamp"),
    nonce: call.header("x-nonce"),
    signature: call.header("x-jws-signature"),
  });
  return signed.ok ? Object.assign(call, { signed }) : signed;
}

/**
 * Checks that X-Timestamp is within 300 s of the time of receipt, inclusive (Decision D24).
 *
 * @param aheadMs how far a sandbox's clock was set forward: programs sign by the real one (Decision D111)
 */
export function timestampWindow(aheadMs: () => number) {
  return <C extends AuthenticatedCall & Signed & Read>(call: C): Checked<C & Timely> => {
    const { signed: { timestampSeconds } } = call;
    const receivedAtMs = call.receivedAtMs - aheadMs();
    return checkTimestampWindow(timestampSeconds, receivedAtMs) ??
      Object.assign(call, { skewSeconds: skewSeconds(timestampSeconds, receivedAtMs) });
  };
}

/**
 * Checks the detached signature of method, URL, body, timestamp and nonce with the partner's active
 * keys (Spec §5 Signed requests; Decisions D20 to D23).
 *
 * @param baseUrl from configuration; the signed URL is never built from the Host header
 * @param budget pays for each signature
 */
export function signatureCheck(baseUrl: string, budget: FailureBudget, now: () => number) {
  const endOfTurn = createTurns();
  return async <C extends AuthenticatedCall & Signed & Read & Timely>(
    call: C,
  ): Promise<Checked<C & Verified>> => {
    const verified = await budget.spend(call.peer.certificateHash, async () => {
      await endOfTurn();
      return await verifySignedRequest({
        method: call.method,
        baseUrl,
        target: call.target,
        bodySha256: await sha256Hex(call.body),
        headers: call.signed,
        keys: activeKeys(call.partner, now()),
      });
    });
    return verified.ok ? Object.assign(call, { verified }) : verified;
  };
}

/** The partner's signing keys that are valid now. */
export function activeKeys(partner: PartnerRecord, nowMs: number): readonly VerificationKey[] {
  const { signingKeys } = partner;
  // Most partners have one valid key, for which no new array is made.
  if (signingKeys.length === 1 && isValidAt(signingKeys[0]!, nowMs)) return signingKeys;
  return signingKeys.filter((key) => isValidAt(key, nowMs));
}
