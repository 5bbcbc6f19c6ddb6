import { diagnoseSignature, HEADER, type Refusal } from "@sabika/protocol";
import type { CallSoFar } from "../call/findings.ts";
import { activeKeys } from "./signature.ts";
import { TokenBuckets } from "./token_buckets.ts";

/** A diagnosis verifies about two hundred signatures: this is enough for people, but not for a flood. */
export const DIAGNOSIS_LIMIT = { perSecond: 2, burst: 60 };

/**
 * Adds to a refused signed probe which mistake would explain its signature (Decision D15). The
 * status and the code stay those of an order. A partner that asks for more diagnoses than
 * {@linkcode DIAGNOSIS_LIMIT} gets its refusals without one for a while, and they say so.
 *
 * @param certificateKeys the public keys of a partner's client certificates, which may have signed
 */
export function diagnosing(
  baseUrl: string,
  now: () => number,
  certificateKeys: (partnerId: number) => Promise<readonly CryptoKey[]>,
) {
  const buckets = new TokenBuckets();
  return async (call: CallSoFar, refusal: Refusal): Promise<Refusal> => {
    if (!EXPLAINED.has(refusal.code) || call.partner === undefined || call.body === undefined) {
      return refusal;
    }
    const { partnerId } = call.partner;
    const diagnoses = buckets.take("diagnosis", partnerId, DIAGNOSIS_LIMIT, now());
    if (!diagnoses.allowed) {
      return { ...refusal, detail: NO_MORE, retryAfterSeconds: diagnoses.retryAfterSeconds };
    }
    const diagnosis = await diagnoseSignature({
      method: call.method,
      baseUrl,
      target: call.target,
      body: call.body,
      timestamp: call.header("x-timestamp") ?? "",
      nonce: call.header("x-nonce") ?? "",
      signature: call.header("x-jws-signature") ?? "",
      keys: activeKeys(call.partner, now()),
      clientKeys: await certificateKeys(partnerId),
      otherHosts: HOST.test(call.header("host") ?? "") ? [call.header("host")!] : [],
      otherNonces: [call.header("idempotency-key"), call.header("x-request-id")]
        .filter((nonce) => nonce !== undefined),
      signedString: call.header(HEADER.signedString),
    });
    return { ...explained(refusal), diagnosis };
  };
}

/** Replaces the detail that leads from an order's refusal to the probe. */
function explained(refusal: Refusal): Refusal {
  return refusal.code === "signature_invalid"
    ? { ...refusal, detail: "The signature does not fit the request. See diagnosis." }
    : refusal;
}

const NO_MORE = "There is no diagnosis with this answer, because too many were asked for. " +
  "Retry-After says when there is one again.";
const EXPLAINED: ReadonlySet<string> = new Set([
  "signature_invalid",
  "signature_malformed",
  "signature_missing",
  "timestamp_invalid",
  "timestamp_out_of_window",
]);
const HOST = /^[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?$/;
