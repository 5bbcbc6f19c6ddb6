import { integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

/**
 * What each Idempotency-Key made (Decisions D27, D28): only successes, written in their transactions.
 * Reading this table includes `trade_keys`, which inherits from it and has the keys of quotes and
 * orders. The function `known_key` finds a single key.
 */
export const idempotencyKeys = pgTable("idempotency_keys", {
  partnerId: integer("partner_id").notNull(),
  keyHash: bytes("key_hash").notNull(),
  fingerprint: bytes("fingerprint").notNull(),
  resourceId: uuid("resource_id").notNull(),
  createdAt: moment("created_at").notNull(),
  resourceKind: text("resource_kind").$type<
    "quote" | "order" | "withdrawal" | "funding" | "event" | "credential"
  >()
    .notNull(),
});
