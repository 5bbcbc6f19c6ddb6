import type { PublicJwk } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import { bigint, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

/** Keys that sign access tokens (Decision D17). */
export const tokenKeys = pgTable("token_keys", {
  keyId: text("key_id").notNull(),
  publicJwk: jsonb("public_jwk").$type<PublicJwk>().notNull(),
  sealedPrivateKey: bytes("sealed_private_key").notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
  createdAt: moment("created_at").notNull().default(sql`now()`),
});

/**
 * Access tokens that were revoked before their end, by `jti`; `revision` is the register's, by which
 * instances find the new ones. `revoke_token` writes it.
 */
export const revokedTokens = pgTable("revoked_tokens", {
  tokenId: uuid("token_id").notNull(),
  partnerId: integer("partner_id").notNull(),
  /** The token's expiry. */
  validUntil: moment("valid_until").notNull(),
  revision: bigint("revision", { mode: "bigint" }).notNull(),
});
