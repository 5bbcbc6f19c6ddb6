import { diagnoseSignature, type Refusal } from "@sabika/protocol";
import type { CallSoFar } from "../call/findings.ts";
import { activeKeys } from "./signature.ts";
import { TokenBuckets } from "./token_buckets.ts";

/** A diagnosis verifies some eighty signatures: enough diagnoses for people, too few for a flood. */
export const DIAGNOSIS_LIMIT = { perSecond: 2, burst: 60 };

/**
 * Adds to a refused signed probe which mistake would explain its signature (Decision D15). The
 * status and the code stay those of an order. A partner that asks for more diagnoses than
 * {@linkcode DIAGNOSIS_LIMIT} gets its refusals without one for a while.
 */
export function diagnosing(baseUrl: string, now: () => number) {
  const buckets = new TokenBuckets();
  return async (call: CallSoFar, refusal: Refusal): Promise<Refusal> => {
    if (!EXPLAINED.has(refusal.code) || call.partner === undefined || call.body === undefined) {
      return refusal;
    }
    const { partnerId } = call.partner;
    if (!buckets.take("diagnosis", partnerId, DIAGNOSIS_LIMIT, now()).allowed) return refusal;
    const diagnosis = await diagnoseSignature({
      method: call.method,
      baseUrl,
      target: call.target,
      body: call.body,
      timestamp: call.header("x-timestamp") ?? "",
      nonce: call.header("x-nonce") ?? "",
      signature: call.header("x-jws-signature") ?? "",
      keys: activeKeys(call.partner, now()),
      otherHosts: HOST.test(call.header("host") ?? "") ? [call.header("host")!] : [],
    });
    return { ...refusal, diagnosis };
  };
}

const EXPLAINED: ReadonlySet<string> = new Set([
  "signature_invalid",
  "signature_malformed",
  "timestamp_invalid",
  "timestamp_out_of_window",
]);
const HOST = /^[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?$/;
