import type { PublicJwk } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";
import type { Role } from "./names.ts";

/** The people who act for the operator (Decision D50). Nobody is ever removed. */
export const operators = pgTable("operators", {
  operatorId: integer("operator_id").notNull().generatedAlwaysAsIdentity(),
  name: text("name").notNull(),
  enabled: boolean("enabled").notNull().default(true),
  createdAt: moment("created_at").notNull().default(sql`now()`),
}, (t) => [
  primaryKey({ name: "operators_pk", columns: [t.operatorId] }),
  unique("operators_name_unique").on(t.name),
  check("operators_name", sql`${t.name} ~ '^[a-z0-9][a-z0-9._-]{0,63}$'`),
]);

export const operatorRoles = pgTable("operator_roles", {
  operatorId: integer("operator_id").notNull(),
  role: text("role").$type<Role>().notNull(),
}, (t) => [
  primaryKey({ name: "operator_roles_pk", columns: [t.operatorId, t.role] }),
  foreignKey({
    name: "operator_roles_operator_fk",
    columns: [t.operatorId],
    foreignColumns: [operators.operatorId],
  }),
  check(
    "operator_roles_role",
    sql`${t.role} in ('auditor', 'support', 'partners', 'treasury', 'vault', 'prices',
      'administrator')`,
  ),
]);

/**
 * Public ES256 keys of people, in a file or a passkey's (Decision D82); `key_id` is the RFC 7638
 * thumbprint. A key is one person's for good.
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
}, (t) => [
  primaryKey({ name: "operator_keys_pk", columns: [t.keyId] }),
  unique("operator_keys_credential_unique").on(t.credentialId),
  check("operator_keys_passkey", sql`(${t.credentialId} is null) = (${t.rpId} is null)`),
  unique("operator_keys_owner_unique").on(t.keyId, t.operatorId),
  foreignKey({
    name: "operator_keys_operator_fk",
    columns: [t.operatorId],
    foreignColumns: [operators.operatorId],
  }),
]);

/** What people signed (Decision D79): never changed, and each done or requested once. */
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
}, (t) => [
  primaryKey({ name: "acts_pk", columns: [t.actId] }),
  unique("acts_person_unique").on(t.actId, t.operatorId),
  foreignKey({
    name: "acts_key_fk",
    columns: [t.keyId, t.operatorId],
    foreignColumns: [operatorKeys.keyId, operatorKeys.operatorId],
  }),
]);

/** Since when acts need a person (Decision D50), which goes one way, and how long they wait for two. */
export const office = pgTable("office", {
  singleton: boolean("singleton").notNull().default(true),
  peopleSince: moment("people_since"),
  approvalSeconds: integer("approval_seconds").notNull().default(86_400),
}, (t) => [
  check("office_approval_seconds", sql`${t.approvalSeconds} between 60 and 2592000`),
  primaryKey({ name: "office_pk", columns: [t.singleton] }),
  check("office_singleton", sql`${t.singleton}`),
]);
