import type { PublicJwk } from "@sabika/protocol";
import { jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

/** Keys that sign receipts (Decision D103); none is ever taken out, and the one without an end signs. */
export const receiptKeys = pgTable("receipt_keys", {
  keyId: text("key_id").notNull(),
  publicJwk: jsonb("public_jwk").$type<PublicJwk>().notNull(),
  /** Null once the key has ended. */
  sealedPrivateKey: bytes("sealed_private_key"),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
});
