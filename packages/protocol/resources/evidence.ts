import { type Form, id, INTEGER, list, STRING } from "../form.ts";
import type { Id } from "../ids.ts";
import { constant, member, record } from "../record_form.ts";

/** A signed request as the service received it, in the parts that its signature is verified from (Decision D86). */
export interface SignedEvidence {
  /** RFC 7638 thumbprint of the key that signed. */
  readonly keyId: string;
  /** X-Timestamp: Unix time in seconds. */
  readonly timestampSeconds: number;
  /** X-Nonce. */
  readonly nonce: string;
  /** The URL as it was signed: absolute, or only the path. */
  readonly url: string;
  /** The body; its UTF-8 bytes are those received. */
  readonly body: string;
  /** X-JWS-Signature. */
  readonly signature: string;
}

/** The signed requests behind an order or a withdrawal. */
export interface Evidence {
  /** The order's or the withdrawal's id. */
  readonly id: Id<"ord"> | Id<"wd">;
  /** The request that made it; of a withdrawal also the one that cancelled it. */
  readonly requests: readonly SignedEvidence[];
}

/** The form of one signed request. */
export const SIGNED_EVIDENCE: Form<SignedEvidence> = record<SignedEvidence>("signed request", {
  keyId: member("key_id", STRING, "The RFC 7638 thumbprint of the key that signed."),
  timestampSeconds: member("timestamp", INTEGER, "`X-Timestamp`."),
  nonce: member("nonce", STRING, "`X-Nonce`."),
  $method: constant('"POST"'),
  url: member("url", STRING, "As you signed it: absolute, or only the path."),
  body: member("body", STRING, "The body; its UTF-8 bytes are those that came."),
  signature: member("signature", STRING, "`X-JWS-Signature`."),
});

const REQUESTS = member(
  "requests",
  list(SIGNED_EVIDENCE),
  "Oldest first. Empty if it was made before evidence was kept, or by your operator.",
);

/** The form of the evidence of an order: GET /v1/orders/{id}/evidence. */
export const ORDER_EVIDENCE: Form<Evidence> = record<Evidence>("order evidence", {
  id: member("id", id("ord") as Form<Evidence["id"]>),
  requests: REQUESTS,
});

/** The form of the evidence of a withdrawal: GET /v1/withdrawals/{id}/evidence. */
export const WITHDRAWAL_EVIDENCE: Form<Evidence> = record<Evidence>("withdrawal evidence", {
  id: member("id", id("wd") as Form<Evidence["id"]>),
  requests: REQUESTS,
});
