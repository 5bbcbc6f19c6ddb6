import {
  bigint,
  customType,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";

// The product's own tables, written down a second time: the naive service is to differ in how it
// works, not in what it stores.

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
const amount = (name: string) => bigint(name, { mode: "bigint" });
const moment = (name: string) => timestamp(name, { precision: 3, withTimezone: true }).notNull();

export const partners = pgTable("partners", {
  partnerId: integer("partner_id").notNull(),
  clientId: text("client_id").notNull(),
  status: text("status").notNull(),
  spreadPpm: amount("spread_ppm").notNull(),
  feePpm: amount("fee_ppm").notNull(),
});

export const certificates = pgTable("certificates", {
  partnerId: integer("partner_id").notNull(),
  certificateHash: bytes("certificate_hash").notNull(),
  validFrom: moment("valid_from"),
  validUntil: moment("valid_until"),
  revokedAt: timestamp("revoked_at", { withTimezone: true }),
});

export const signingKeys = pgTable("signing_keys", {
  partnerId: integer("partner_id").notNull(),
  keyId: text("key_id").notNull(),
  publicJwk: jsonb("public_jwk").notNull(),
});

export const tokenKeys = pgTable("token_keys", {
  keyId: text("key_id").notNull(),
  publicJwk: jsonb("public_jwk").notNull(),
});

export const accounts = pgTable("accounts", {
  partnerId: integer("partner_id").notNull(),
  cashHalalas: amount("cash_halalas").notNull(),
  houseCashHalalas: amount("house_cash_halalas").notNull(),
  goldMicrograms: amount("gold_micrograms").notNull(),
  allocationMicrograms: amount("allocation_micrograms").notNull(),
  lastTransfer: amount("last_transfer").notNull(),
  lastEvent: amount("last_event").notNull(),
});

export const quotes = pgTable("quotes", {
  partnerId: integer("partner_id").notNull(),
  quoteId: uuid("quote_id").notNull(),
  goldMicrograms: amount("gold_micrograms").notNull(),
  priceTenThousandths: amount("price_ten_thousandths").notNull(),
  feeHalalas: amount("fee_halalas").notNull(),
  vatPpm: amount("vat_ppm").notNull(),
  vatHalalas: amount("vat_halalas").notNull(),
  totalHalalas: amount("total_halalas").notNull(),
  priceAsOf: moment("price_as_of"),
  createdAt: moment("created_at"),
  expiresAt: moment("expires_at"),
  side: text("side").$type<"buy" | "sell">().notNull(),
});

export const orders = pgTable("orders", {
  partnerId: integer("partner_id").notNull(),
  orderId: uuid("order_id").notNull(),
  quoteId: uuid("quote_id").notNull(),
  goldMicrograms: amount("gold_micrograms").notNull(),
  priceTenThousandths: amount("price_ten_thousandths").notNull(),
  feeHalalas: amount("fee_halalas").notNull(),
  vatHalalas: amount("vat_halalas").notNull(),
  totalHalalas: amount("total_halalas").notNull(),
  cashAfterHalalas: amount("cash_after_halalas").notNull(),
  goldAfterMicrograms: amount("gold_after_micrograms").notNull(),
  executedAt: moment("executed_at"),
  side: text("side").$type<"buy" | "sell">().notNull(),
  clientReference: text("client_reference"),
});

export const transfers = pgTable("transfers", {
  partnerId: integer("partner_id").notNull(),
  number: amount("number").notNull(),
  amount: amount("amount").notNull(),
  postedAt: moment("posted_at"),
  sourceId: uuid("source_id").notNull(),
  asset: text("asset").notNull(),
  debitAccount: text("debit_account").notNull(),
  creditAccount: text("credit_account").notNull(),
  sourceKind: text("source_kind").notNull(),
});

export const idempotencyKeys = pgTable("idempotency_keys", {
  partnerId: integer("partner_id").notNull(),
  keyHash: bytes("key_hash").notNull(),
  fingerprint: bytes("fingerprint").notNull(),
  resourceId: uuid("resource_id").notNull(),
  createdAt: moment("created_at"),
  resourceKind: text("resource_kind").notNull(),
});

export const nonces = pgTable("nonces", {
  partnerId: integer("partner_id").notNull(),
  timestampSeconds: bigint("timestamp_seconds", { mode: "number" }).notNull(),
  nonceHash: bytes("nonce_hash").notNull(),
});

export const events = pgTable("events", {
  partnerId: integer("partner_id").notNull(),
  sequence: amount("sequence").notNull(),
  eventId: uuid("event_id").notNull(),
  resourceId: uuid("resource_id"),
  createdAt: moment("created_at"),
  type: text("type").notNull(),
});
