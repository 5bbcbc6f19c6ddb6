import { diagnoseSignature, HEADER, type Refusal } from "@sabika/protocol";
import type { CallSoFar } from "../call/findings.ts";
import { activeKeys } from "./signature.ts";
import { TokenBuckets } from "./token_buckets.ts";

/**
 * For each partner on each instance. A diagnosis verifies about 200 signatures for each active key: enough for
 * people, not for a flood.
 */
export const DIAGNOSIS_LIMIT = { perSecond: 2, burst: 60 };

/**
 * Creates a function that adds a diagnosis to refusals of the signed probe: the mistake that would explain the
 * signature (Decision D15). Status and code stay those that an order would get.
 *
 * It returns a refusal unchanged when it is not about the signature or the timestamp, or when the partner or
 * the body is not known. A partner that asks for more than {@linkcode DIAGNOSIS_LIMIT} gets refusals without
 * a diagnosis for a while; their detail and Retry-After say so.
 *
 * @param baseUrl from the configuration, as for `signatureCheck`
 * @param now epoch milliseconds
 * @param certificateKeys returns the public keys of a partner's client certificates, as some partners sign
 * with such a key by mistake
 */
export function explainRefusals(
  baseUrl: string,
  now: () => number,
  certificateKeys: (partnerId: number) => Promise<readonly CryptoKey[]>,
) {
  const buckets = new TokenBuckets();
  return async (call: CallSoFar, refusal: Refusal): Promise<Refusal> => {
    if (
      !EXPLAINED_CODES.has(refusal.code) || call.partner === undefined || call.body === undefined
    ) {
      return refusal;
    }
    const { partnerId } = call.partner;
    const rate = buckets.take("diagnosis", partnerId, DIAGNOSIS_LIMIT, now());
    if (!rate.allowed) {
      return { ...refusal, detail: TOO_MANY_DIAGNOSES, retryAfterSeconds: rate.retryAfterSeconds };
    }
    const host = call.header("host") ?? "";
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
      otherHosts: HOST.test(host) ? [host] : [],
      otherNonces: [call.header("idempotency-key") ?? "", call.header("x-request-id") ?? ""],
      signedString: call.header(HEADER.signedString),
    });
    return { ...pointToDiagnosis(refusal), diagnosis };
  };
}

/** Replaces the detail that leads from an order's refusal to the probe. */
function pointToDiagnosis(refusal: Refusal): Refusal {
  return refusal.code === "signature_invalid"
    ? { ...refusal, detail: "The signature does not fit the request. See diagnosis." }
    : refusal;
}

const TOO_MANY_DIAGNOSES = "This answer has no diagnosis, because too many were requested. " +
  "Retry-After says when to ask again.";
const EXPLAINED_CODES: ReadonlySet<string> = new Set([
  "signature_invalid",
  "signature_malformed",
  "signature_missing",
  "timestamp_invalid",
  "timestamp_out_of_window",
]);
const HOST = /^[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?$/;
