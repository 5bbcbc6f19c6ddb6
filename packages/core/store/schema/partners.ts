import type { PublicJwk } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  type PgColumn,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { cells } from "./cells.ts";
import { bytes, moment } from "./columns.ts";
import type { RateClass, TokenAuth } from "./names.ts";

const micrograms = (name: string) => bigint(name, { mode: "bigint" });
const ppm = (name: string) => bigint(name, { mode: "bigint" });

/** Requests a second and how many at once, for a class of routes (Decision D42). */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

/** The partners with their settings. `revision` is `register_state.revision` of the last change. */
export const partners = pgTable("partners", {
  partnerId: integer("partner_id").notNull().generatedAlwaysAsIdentity(),
  clientId: text("client_id").notNull(),
  name: text("name").notNull(),
  status: text("status").$type<"active" | "suspended">().notNull().default("active"),
  settlementIban: text("settlement_iban").notNull(),
  webhookUrl: text("webhook_url"),
  quoteMinMicrograms: micrograms("quote_min_micrograms").notNull().default(sql`10000`),
  quoteMaxMicrograms: micrograms("quote_max_micrograms").notNull().default(sql`10000000000`),
  openQuotesLimit: integer("open_quotes_limit").notNull().default(100),
  spreadPpm: ppm("spread_ppm").notNull().default(sql`5000`),
  feePpm: ppm("fee_ppm").notNull().default(sql`2500`),
  vatPpm: ppm("vat_ppm").notNull().default(sql`0`),
  /** A class that is missing has the default. */
  rateLimits: jsonb("rate_limits").$type<Partial<Record<RateClass, RateLimit>>>().notNull().default(
    sql`'{}'::jsonb`,
  ),
  revision: bigint("revision", { mode: "bigint" }).notNull().default(sql`0`),
  /** Where the partner's own rows are (Decision D53). */
  cellId: text("cell_id").notNull().default("main"),
  createdAt: moment("created_at").notNull().default(sql`now()`),
}, (t) => [
  primaryKey({ name: "partners_pk", columns: [t.partnerId] }),
  unique("partners_client_id_unique").on(t.clientId),
  foreignKey({
    name: "partners_cell_fk",
    columns: [t.cellId],
    foreignColumns: [cells.cellId],
  }),
  index("partners_revision_index").on(t.revision),
  index("partners_cell").on(t.cellId),
  check("partners_status", sql`${t.status} in ('active', 'suspended')`),
  check(
    "partners_quote_bounds",
    sql`0 < ${t.quoteMinMicrograms} and ${t.quoteMinMicrograms} <= ${t.quoteMaxMicrograms}`,
  ),
  check("partners_open_quotes_limit", sql`${t.openQuotesLimit} > 0`),
  check(
    "partners_rates",
    sql`${t.spreadPpm} between 0 and 999999 and ${t.feePpm} between 0 and 1000000 and ${t.vatPpm} between 0 and 1000000`,
  ),
]);

const ofPartner = (name: string, column: PgColumn) =>
  foreignKey({
    name,
    columns: [column],
    foreignColumns: [partners.partnerId],
  });

/** Client certificates; several at once during a rotation (Spec §5). */
export const certificates = pgTable("certificates", {
  partnerId: integer("partner_id").notNull(),
  certificateHash: bytes("certificate_hash").notNull(),
  serial: text("serial").notNull(),
  subject: text("subject").notNull(),
  pem: text("pem").notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until").notNull(),
  revokedAt: moment("revoked_at"),
  /** Whether this certificate alone authenticates the client, or a secret is needed too (RFC 8705 §2). */
  tokenAuth: text("token_auth").$type<TokenAuth>().notNull().default("client_secret_post"),
  /** What tokens may allow that are bound to it, as OAuth writes scopes. */
  scope: text("scope").notNull().default("read trade withdraw"),
  createdAt: moment("created_at").notNull().default(sql`now()`),
}, (t) => [
  primaryKey({ name: "certificates_pk", columns: [t.partnerId, t.certificateHash] }),
  unique("certificates_hash_unique").on(t.certificateHash),
  check(
    "certificates_token_auth",
    sql`${t.tokenAuth} in ('client_secret_post', 'tls_client_auth')`,
  ),
  check("certificates_hash_length", sql`length(${t.certificateHash}) = 32`),
  ofPartner("certificates_partner_fk", t.partnerId),
]);

/** Client secrets as keyed hashes only. */
export const clientSecrets = pgTable("client_secrets", {
  partnerId: integer("partner_id").notNull(),
  secretId: uuid("secret_id").notNull(),
  secretHash: bytes("secret_hash").notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
}, (t) => [
  primaryKey({ name: "client_secrets_pk", columns: [t.partnerId, t.secretId] }),
  ofPartner("client_secrets_partner_fk", t.partnerId),
]);

/** Public ES256 keys of the partners; `key_id` is the RFC 7638 thumbprint. */
export const signingKeys = pgTable("signing_keys", {
  partnerId: integer("partner_id").notNull(),
  keyId: text("key_id").notNull(),
  publicJwk: jsonb("public_jwk").$type<PublicJwk>().notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
}, (t) => [
  primaryKey({ name: "signing_keys_pk", columns: [t.partnerId, t.keyId] }),
  ofPartner("signing_keys_partner_fk", t.partnerId),
]);

/** Webhook HMAC secrets, sealed under the master key. */
export const webhookSecrets = pgTable("webhook_secrets", {
  partnerId: integer("partner_id").notNull(),
  secretId: uuid("secret_id").notNull(),
  sealedSecret: bytes("sealed_secret").notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
}, (t) => [
  primaryKey({ name: "webhook_secrets_pk", columns: [t.partnerId, t.secretId] }),
  ofPartner("webhook_secrets_partner_fk", t.partnerId),
]);

/** Where a partner may call from; none: anywhere. */
export const sourceAddresses = pgTable("source_addresses", {
  partnerId: integer("partner_id").notNull(),
  cidr: text("cidr").notNull(),
}, (t) => [
  primaryKey({ name: "source_addresses_pk", columns: [t.partnerId, t.cidr] }),
  ofPartner("source_addresses_partner_fk", t.partnerId),
]);

/** The `credential.expiring` warnings that were sent, so that each is sent once. */
export const credentialWarnings = pgTable("credential_warnings", {
  partnerId: integer("partner_id").notNull(),
  credentialKind: text("credential_kind").notNull(),
  credentialId: text("credential_id").notNull(),
  daysBefore: integer("days_before").notNull(),
  warnedAt: moment("warned_at").notNull().default(sql`now()`),
}, (t) => [
  primaryKey({
    name: "credential_warnings_pk",
    columns: [t.partnerId, t.credentialKind, t.credentialId, t.daysBefore],
  }),
  ofPartner("credential_warnings_partner_fk", t.partnerId),
]);
