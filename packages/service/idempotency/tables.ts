import { integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

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
