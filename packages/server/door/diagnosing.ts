import { diagnoseSignature, type Refusal } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { activeKeys } from "./signature.ts";

/**
 * Adds to a refused signed probe which mistake would explain its signature (Decision D15). The
 * status and the code stay those of an order.
 */
export function diagnosing(baseUrl: string, now: () => number) {
  return async (call: Call, refusal: Refusal): Promise<Refusal> => {
    if (!EXPLAINED.has(refusal.code) || call.partner === undefined) return refusal;
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
