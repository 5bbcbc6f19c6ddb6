import type { PublicJwk } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import { boolean, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";
import type { Role } from "@sabika/terms";

/** The people who act for the operator (Decision D50). Nobody is ever removed. */
export const operators = pgTable("operators", {
  operatorId: integer("operator_id").notNull().generatedAlwaysAsIdentity(),
  name: text("name").notNull(),
  enabled: boolean("enabled").notNull().default(true),
  createdAt: moment("created_at").notNull().default(sql`now()`),
});

/** The roles of each person, which say which acts are open to them. */
export const operatorRoles = pgTable("operator_roles", {
  operatorId: integer("operator_id").notNull(),
  role: text("role").$type<Role>().notNull(),
});

/**
 * Public ES256 keys of people, of key files and of passkeys (Decision D82); `key_id` is the RFC 7638
 * thumbprint. A key belongs to the same person for good.
 */
export const operatorKeys = pgTable("operator_keys", {
  keyId: text("key_id").notNull(),
  operatorId: integer("operator_id").notNull(),
  publicJwk: jsonb("public_jwk").$type<PublicJwk>().notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
  /** Of a passkey: its credential id, base64url, and the host that it is bound to. */
  credentialId: text("credential_id"),
  rpId: text("rp_id"),
});

/** The acts that people signed (Decision D79): never changed, and each carried out or requested once. */
export const acts = pgTable("acts", {
  actId: uuid("act_id").notNull(),
  name: text("name").notNull(),
  /** Canonical JSON, as it was signed. */
  arguments: text("arguments").notNull(),
  /** Whole seconds, as they were signed. */
  signedAt: moment("signed_at").notNull(),
  operatorId: integer("operator_id").notNull(),
  keyId: text("key_id").notNull(),
  /** The detached JWS. */
  signature: text("signature").notNull(),
});

/** When acts began to need a person, which is never undone (Decision D50), and what the policy says in numbers. */
export const office = pgTable("office", {
  singleton: boolean("singleton").notNull().default(true),
  peopleSince: moment("people_since"),
  approvalSeconds: integer("approval_seconds").notNull().default(86_400),
  leastAdministrators: integer("least_administrators").notNull().default(2),
  /** What becomes of a bar whose refiner is on no list; null: a sandbox takes it in, production refuses it. */
  unlistedBars: text("unlisted_bars").$type<"refuse" | "take_in">(),
});
