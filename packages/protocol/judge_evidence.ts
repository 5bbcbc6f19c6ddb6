import { type Id, parseId } from "./ids.ts";
import { TIMESTAMP_WINDOW_SECONDS } from "./limits.ts";
import { JsonSyntaxError, parseJson } from "./parse_json.ts";
import type { SignedEvidence } from "./resources/evidence.ts";
import { orderRequestFromJson } from "./resources/order.ts";
import { withdrawalRequestFromJson } from "./resources/withdrawal.ts";
import { skewSeconds, type VerificationKey } from "./signed_request.ts";
import { verifyEvidence } from "./verify_evidence.ts";

/** What a partner is said to have asked for. */
export type SignedFact =
  & {
    /** When the service received the request, epoch milliseconds. */
    readonly receivedAtMs: number;
  }
  & (
    | {
      /** An order. */
      readonly kind: "order";
      /** Its id. */
      readonly id: Id<"ord">;
      /** The quote it executed. */
      readonly quoteId: Id<"qt">;
      /** The partner's own reference; null if there is none. */
      readonly clientReference: string | null;
    }
    | {
      /** A withdrawal. */
      readonly kind: "withdrawal";
      /** Its id. */
      readonly id: Id<"wd">;
      /** The amount to pay out. */
      readonly amountHalalas: bigint;
      /** The partner's own reference; null if there is none. */
      readonly clientReference: string | null;
    }
    | {
      /** A cancellation. */
      readonly kind: "cancellation";
      /** The withdrawal's id. */
      readonly id: Id<"wd">;
    }
  );

/** A partner's signing key with the time in which it was valid, epoch milliseconds. */
export interface DatedKey extends VerificationKey {
  /** When it began to be valid. */
  readonly validFromMs: number;
  /** Null: it has no end. */
  readonly validUntilMs: number | null;
}

/** Why evidence does not show that the partner asked for a fact. */
export const EVIDENCE_FAULTS = [
  "missing",
  "unknown_key",
  "key_not_valid",
  "wrong_time",
  "wrong_url",
  "wrong_body",
  "wrong_signature",
] as const;
/** One of {@link EVIDENCE_FAULTS}. */
export type EvidenceFault = (typeof EVIDENCE_FAULTS)[number];

/** How far the time of receipt may lie outside a key's validity, since clocks differ. */
const SLACK_MS = 5_000;

/**
 * Judges whether evidence shows that the partner asked for exactly this (Decision D86).
 *
 * @param evidence null: none is kept
 * @param keys all keys that the partner has had
 * @returns the first fault, in the order of {@link EVIDENCE_FAULTS}; undefined when there is none
 *
 * @example
 * const fault = await judgeEvidence(fact, evidence, keys);
 */
export async function judgeEvidence(
  fact: SignedFact,
  evidence: SignedEvidence | null,
  keys: readonly DatedKey[],
): Promise<EvidenceFault | undefined> {
  if (evidence === null) return "missing";
  const request: JudgedRequest = {
    receivedAtMs: fact.receivedAtMs,
    path: pathOf(fact),
    asksFor: (body) => asksFor(fact, body),
  };
  return await judgeRequest(request, evidence, keys);
}

/** What a signed request is said to be. */
export interface JudgedRequest {
  /** When the service received it, epoch milliseconds. */
  readonly receivedAtMs: number;
  /** The path that it was sent to. */
  readonly path: string;
  /** Whether the body asks for what is said. */
  readonly asksFor: (body: string) => boolean;
}

/**
 * Judges whether a signed request is what it is said to be, like `judgeEvidence`.
 *
 * @example
 * ```ts
 * import { judgeRequest } from "@sabika/protocol";
 *
 * const said = { receivedAtMs: 1_795_167_000_250, path: "/v1/orders", asksFor: () => true };
 * const evidence = { keyId: "?", timestampSeconds: 0, nonce: "", url: "", body: "", signature: "" };
 * console.log(await judgeRequest(said, evidence, [])); // "unknown_key"
 * ```
 */
export async function judgeRequest(
  { receivedAtMs, path, asksFor }: JudgedRequest,
  evidence: SignedEvidence,
  keys: readonly DatedKey[],
): Promise<EvidenceFault | undefined> {
  const key = keys.find(({ keyId }) => keyId === evidence.keyId);
  if (key === undefined) return "unknown_key";
  const untilMs = key.validUntilMs ?? Infinity;
  if (receivedAtMs < key.validFromMs - SLACK_MS || receivedAtMs > untilMs + SLACK_MS) {
    return "key_not_valid";
  }
  const skew = skewSeconds(evidence.timestampSeconds, receivedAtMs);
  if (Math.abs(skew) > TIMESTAMP_WINDOW_SECONDS) return "wrong_time";
  if (!evidence.url.split("?", 1)[0]!.endsWith(path)) return "wrong_url";
  if (!asksFor(evidence.body)) return "wrong_body";
  return await verifyEvidence(evidence, key.publicKey) ? undefined : "wrong_signature";
}

function pathOf(fact: SignedFact): string {
  if (fact.kind === "cancellation") return `/v1/withdrawals/${fact.id}/cancel`;
  return fact.kind === "order" ? "/v1/orders" : "/v1/withdrawals";
}

function asksFor(fact: SignedFact, body: string): boolean {
  // A cancellation's body has no members.
  if (fact.kind === "cancellation") return true;
  try {
    const json = parseJson(body);
    if (fact.kind === "order") {
      const { quoteId, clientReference } = fact;
      const read = orderRequestFromJson(json);
      return read.ok && parseId("qt", read.value.quoteId) === parseId("qt", quoteId) &&
        read.value.clientReference === clientReference;
    }
    const read = withdrawalRequestFromJson(json);
    return read.ok && read.value.amountHalalas === fact.amountHalalas &&
      read.value.clientReference === fact.clientReference;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}
