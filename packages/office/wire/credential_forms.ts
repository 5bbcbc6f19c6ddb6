import type { AskedCredential } from "@sabika/service/credentials";
import {
  type Form,
  id,
  INTEGER,
  nullable,
  oneOf,
  REQUESTED_CREDENTIAL_STATUSES,
  REQUESTED_KINDS,
  STRING,
  TIME,
} from "@sabika/protocol";
import { member, record } from "@sabika/protocol/record-form";

/** The form of a partner's request for a credential (Decision D120). */
export const ASKED_CREDENTIAL: Form<AskedCredential> = record<AskedCredential>(
  "asked credential",
  {
    clientId: member("client_id", STRING),
    id: member("id", id("cr")),
    kind: member("kind", oneOf(REQUESTED_KINDS)),
    status: member("status", oneOf(REQUESTED_CREDENTIAL_STATUSES)),
    keyId: member("key_id", STRING, "Of the new key."),
    signedBy: member("signed_by", STRING, "The key that signed the request."),
    replaces: member("replaces", STRING, "The only credential that ends in its favour."),
    overlapSeconds: member("overlap_seconds", INTEGER, "How long that one is to stay valid."),
    createdAtMs: member("created_at", TIME),
    decidedAtMs: member("decided_at", nullable(TIME)),
    replacedEndsAtMs: member("replaced_ends_at", nullable(TIME)),
    refusalReason: member("reason", nullable(STRING), "Why it was refused."),
    csr: member("csr", STRING, "The signing request, PEM."),
  },
);
