import type { PublicJwk, RateLimit } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";
import type { RateClass, TokenAuth } from "@sabika/terms";

const micrograms = (name: string) => bigint(name, { mode: "bigint" });
const ppm = (name: string) => bigint(name, { mode: "bigint" });

/** Rates of VAT, in millionths. */
export type TaxRates = Readonly<Record<"gold_ppm" | "fee_ppm", number>>;

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
  /** Rates of VAT by the day in Riyadh from which they hold, instead of `vatPpm` (Decision D93). */
  taxes: jsonb("taxes").$type<Readonly<Record<string, TaxRates>>>(),
  /** True if the partner sees mid price and spread of its quotes and orders. */
  disclosesSpread: boolean("discloses_spread"),
  /** A missing class has its default. */
  rateLimits: jsonb("rate_limits").$type<Partial<Record<RateClass, RateLimit>>>().notNull().default(
    sql`'{}'::jsonb`,
  ),
  revision: bigint("revision", { mode: "bigint" }).notNull().default(sql`0`),
  /** Where the partner's own rows are (Decision D53). */
  cellId: text("cell_id").notNull().default("main"),
  createdAt: moment("created_at").notNull().default(sql`now()`),
  /** The pool whose bars its gold is (Decision D102); null is the first, `main`. */
  poolNumber: smallint("pool_number"),
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
  /** The scope of tokens that are bound to it, separated by spaces as in OAuth. */
  scope: text("scope").notNull().default("read trade withdraw"),
  createdAt: moment("created_at").notNull().default(sql`now()`),
});

/** Client secrets as keyed hashes only. */
export const clientSecrets = pgTable("client_secrets", {
  partnerId: integer("partner_id").notNull(),
  secretId: uuid("secret_id").notNull(),
  secretHash: bytes("secret_hash").notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
});

/** Public ES256 keys of the partners; `key_id` is the RFC 7638 thumbprint. */
export const signingKeys = pgTable("signing_keys", {
  partnerId: integer("partner_id").notNull(),
  keyId: text("key_id").notNull(),
  publicJwk: jsonb("public_jwk").$type<PublicJwk>().notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
});

/** Webhook HMAC secrets, sealed under the master key. */
export const webhookSecrets = pgTable("webhook_secrets", {
  partnerId: integer("partner_id").notNull(),
  secretId: uuid("secret_id").notNull(),
  sealedSecret: bytes("sealed_secret").notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
});

/** The addresses from which a partner may call; without a row, from anywhere. */
export const sourceAddresses = pgTable("source_addresses", {
  partnerId: integer("partner_id").notNull(),
  cidr: text("cidr").notNull(),
});
