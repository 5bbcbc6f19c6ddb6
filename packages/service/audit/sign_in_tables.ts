import { sql } from "drizzle-orm";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

/** One-time links by which people register a passkey (Decision D82); only their hashes. */
export const operatorLinks = pgTable("operator_links", {
  /** SHA-256 of the link's token. */
  linkHash: bytes("link_hash").notNull(),
  operatorId: integer("operator_id").notNull(),
  expiresAt: moment("expires_at").notNull(),
  usedAt: moment("used_at"),
});

/**
 * People's identities at their company's OpenID provider (Decision D84): `iss` and `sub` of ID tokens.
 * None is ever removed, and a valid identity belongs to one person.
 */
export const operatorIdentities = pgTable("operator_identities", {
  identityId: integer("identity_id").notNull().generatedAlwaysAsIdentity(),
  operatorId: integer("operator_id").notNull(),
  issuer: text("issuer").notNull(),
  subject: text("subject").notNull(),
  validFrom: moment("valid_from").notNull().default(sql`clock_timestamp()`),
  validUntil: moment("valid_until"),
});

/** Who is signed in at the office, by the hash of their cookie's token. */
export const operatorSessions = pgTable("operator_sessions", {
  /** SHA-256 of the cookie's token. */
  sessionHash: bytes("session_hash").notNull(),
  operatorId: integer("operator_id").notNull(),
  /** The passkey of the sign-in; null for a sign-in by `identityId` at the company's provider. */
  keyId: text("key_id"),
  identityId: integer("identity_id"),
  /** The caller's address at that time. */
  signedInFrom: text("signed_in_from").notNull(),
  createdAt: moment("created_at").notNull(),
  /** To the minute. */
  lastSeenAt: moment("last_seen_at").notNull(),
  expiresAt: moment("expires_at").notNull(),
});

/** The challenges that passkeys sign at sign-in; the first answer removes its challenge. */
export const operatorChallenges = pgTable("operator_challenges", {
  challenge: bytes("challenge").notNull(),
  expiresAt: moment("expires_at").notNull(),
});

/** Nonces of requests signed with people's keys, kept as long as a request could be replayed. */
export const operatorNonces = pgTable("operator_nonces", {
  keyId: text("key_id").notNull(),
  nonce: text("nonce").notNull(),
  signedAt: moment("signed_at").notNull(),
});
