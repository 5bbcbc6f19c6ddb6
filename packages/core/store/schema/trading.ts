import { bigint, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "./columns.ts";

const amount = (name: string) => bigint(name, { mode: "bigint" });

/** Firm quotes (Decision D10): written once, never changed; state is derived. */
export const quotes = pgTable("quotes", {
  partnerId: integer("partner_id").notNull(),
  quoteId: uuid("quote_id").notNull(),
  goldMicrograms: amount("gold_micrograms").notNull(),
  priceTenThousandths: amount("price_ten_thousandths").notNull(),
  feeHalalas: amount("fee_halalas").notNull(),
  vatPpm: amount("vat_ppm").notNull(),
  vatHalalas: amount("vat_halalas").notNull(),
  totalHalalas: amount("total_halalas").notNull(),
  priceAsOf: moment("price_as_of").notNull(),
  createdAt: moment("created_at").notNull(),
  expiresAt: moment("expires_at").notNull(),
  side: text("side").$type<"buy" | "sell">().notNull(),
  /** The money it was asked for by; null when it was asked for by gold (Decision D47). */
  requestedHalalas: amount("requested_halalas"),
});

/**
 * Executed orders (Decision D11), with the balances that the answer showed: never changed.
 *
 * No foreign key to quotes: its check would read and lock each quote once more, a tenth of an
 * order's cost in the database. `place_orders` takes the terms from the quote's own row in the same
 * transaction, nothing deletes quotes, and `reconcile` compares the two.
 */
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
  executedAt: moment("executed_at").notNull(),
  side: text("side").$type<"buy" | "sell">().notNull(),
  clientReference: text("client_reference"),
});

/** Withdrawals to the settlement IBAN (Decision D13). */
export const withdrawals = pgTable("withdrawals", {
  partnerId: integer("partner_id").notNull(),
  withdrawalId: uuid("withdrawal_id").notNull(),
  amountHalalas: amount("amount_halalas").notNull(),
  createdAt: moment("created_at").notNull(),
  completedAt: moment("completed_at"),
  status: text("status").$type<"pending" | "processing" | "completed" | "failed" | "cancelled">()
    .notNull(),
  iban: text("iban").notNull(),
  clientReference: text("client_reference"),
  failure: text("failure"),
});

/** Money that came in: sandbox funding, or a bank transfer with its reference (Decision D14). */
export const fundings = pgTable("fundings", {
  partnerId: integer("partner_id").notNull(),
  fundingId: uuid("funding_id").notNull(),
  amountHalalas: amount("amount_halalas").notNull(),
  cashAfterHalalas: amount("cash_after_halalas").notNull(),
  createdAt: moment("created_at").notNull(),
  /** The bank's reference, unique per partner; null in the sandbox. */
  reference: text("reference"),
});

/**
 * What each Idempotency-Key made (Decisions D27, D28): only successes, in their own transaction. Read
 * here, it has those of `trade_keys` too, which inherits from it and has the keys of quotes and orders;
 * one key is found by the function `known_key`.
 */
export const idempotencyKeys = pgTable("idempotency_keys", {
  partnerId: integer("partner_id").notNull(),
  keyHash: bytes("key_hash").notNull(),
  fingerprint: bytes("fingerprint").notNull(),
  resourceId: uuid("resource_id").notNull(),
  createdAt: moment("created_at").notNull(),
  resourceKind: text("resource_kind").$type<
    "quote" | "order" | "withdrawal" | "funding" | "event"
  >()
    .notNull(),
});

/**
 * Four bytes of each key in the generations that are over, by two other bytes: whether a key may be in
 * one of them is answered by a row. Written by `digest_keys`.
 */
export const keyDigests = pgTable("key_digests", {
  partnerId: integer("partner_id").notNull(),
  bucket: integer("bucket").notNull(),
  digests: integer("digests").array().notNull(),
});
