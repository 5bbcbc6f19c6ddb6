import { foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, moment } from "./columns.ts";
import { operatorKeys, operators } from "./people.ts";

/** One-time links by which people register a passkey (Decision D82): their hashes alone. */
export const operatorLinks = pgTable("operator_links", {
  /** SHA-256 of the link's token. */
  linkHash: bytes("link_hash").notNull(),
  operatorId: integer("operator_id").notNull(),
  expiresAt: moment("expires_at").notNull(),
  usedAt: moment("used_at"),
}, (t) => [
  primaryKey({ name: "operator_links_pk", columns: [t.linkHash] }),
  foreignKey({
    name: "operator_links_operator_fk",
    columns: [t.operatorId],
    foreignColumns: [operators.operatorId],
  }),
]);

/** Who is signed in at the office, by the hash of what their cookie holds. */
export const operatorSessions = pgTable("operator_sessions", {
  /** SHA-256 of the cookie's token. */
  sessionHash: bytes("session_hash").notNull(),
  operatorId: integer("operator_id").notNull(),
  /** The passkey that they signed in with. */
  keyId: text("key_id").notNull(),
  /** The caller's address at that time. */
  signedInFrom: text("signed_in_from").notNull(),
  createdAt: moment("created_at").notNull(),
  /** To the minute. */
  lastSeenAt: moment("last_seen_at").notNull(),
  expiresAt: moment("expires_at").notNull(),
}, (t) => [
  primaryKey({ name: "operator_sessions_pk", columns: [t.sessionHash] }),
  foreignKey({
    name: "operator_sessions_key_fk",
    columns: [t.keyId, t.operatorId],
    foreignColumns: [operatorKeys.keyId, operatorKeys.operatorId],
  }),
  index("operator_sessions_expires_at").on(t.expiresAt),
]);

/** What passkeys are asked to sign at sign-in; each is taken away by the first answer. */
export const operatorChallenges = pgTable("operator_challenges", {
  challenge: bytes("challenge").notNull(),
  expiresAt: moment("expires_at").notNull(),
}, (t) => [
  primaryKey({ name: "operator_challenges_pk", columns: [t.challenge] }),
  index("operator_challenges_expires_at").on(t.expiresAt),
]);

/** Nonces of requests that people's keys signed, as long as they could come again. */
export const operatorNonces = pgTable("operator_nonces", {
  keyId: text("key_id").notNull(),
  nonce: text("nonce").notNull(),
  signedAt: moment("signed_at").notNull(),
}, (t) => [
  primaryKey({ name: "operator_nonces_pk", columns: [t.keyId, t.nonce] }),
  index("operator_nonces_signed_at").on(t.signedAt),
]);
