import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
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

/**
 * Who people are at their company's OpenID provider (Decision D84): `iss` and `sub` of its ID tokens.
 * None is ever removed, and one that is valid is one person's.
 */
export const operatorIdentities = pgTable("operator_identities", {
  identityId: integer("identity_id").notNull().generatedAlwaysAsIdentity(),
  operatorId: integer("operator_id").notNull(),
  issuer: text("issuer").notNull(),
  subject: text("subject").notNull(),
  validFrom: moment("valid_from").notNull().default(sql`clock_timestamp()`),
  validUntil: moment("valid_until"),
}, (t) => [
  primaryKey({ name: "operator_identities_pk", columns: [t.identityId] }),
  unique("operator_identities_owner_unique").on(t.identityId, t.operatorId),
  uniqueIndex("operator_identities_valid_unique").on(t.issuer, t.subject)
    .where(sql`${t.validUntil} is null`),
  foreignKey({
    name: "operator_identities_operator_fk",
    columns: [t.operatorId],
    foreignColumns: [operators.operatorId],
  }),
]);

/** Who is signed in at the office, by the hash of what their cookie holds. */
export const operatorSessions = pgTable("operator_sessions", {
  /** SHA-256 of the cookie's token. */
  sessionHash: bytes("session_hash").notNull(),
  operatorId: integer("operator_id").notNull(),
  /** The passkey that they signed in with, or else their identity at the company's provider. */
  keyId: text("key_id"),
  identityId: integer("identity_id"),
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
  foreignKey({
    name: "operator_sessions_identity_fk",
    columns: [t.identityId, t.operatorId],
    foreignColumns: [operatorIdentities.identityId, operatorIdentities.operatorId],
  }),
  check("operator_sessions_by", sql`(${t.keyId} is null) <> (${t.identityId} is null)`),
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
