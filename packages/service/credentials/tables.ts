import type { RequestedCredentialStatus, RequestedKind, SignedEvidence } from "@sabika/protocol";
import { integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

/** What partners ask for of certificates and keys, and what became of it (Decision D120). */
export const credentialRequests = pgTable("credential_requests", {
  requestId: uuid("request_id").notNull(),
  partnerId: integer("partner_id").notNull(),
  keyHash: bytes("key_hash").notNull(),
  fingerprint: bytes("fingerprint").notNull(),
  kind: text("kind").$type<RequestedKind>().notNull(),
  keyId: text("key_id").notNull(),
  replaces: text("replaces").notNull(),
  overlapSeconds: integer("overlap_seconds").notNull(),
  evidence: jsonb("evidence").$type<SignedEvidence>().notNull(),
  createdAt: moment("created_at").notNull(),
  status: text("status").$type<RequestedCredentialStatus>().notNull().default("pending"),
  decidedAt: moment("decided_at"),
  replacedEndsAt: moment("replaced_ends_at"),
  certificate: text("certificate"),
  refusal: text("refusal"),
});
