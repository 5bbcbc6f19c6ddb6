import type { PublicJwk } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import { jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, moment } from "./columns.ts";

/** Keys of the deployment itself, sealed under a master key (AES-GCM). */
export const sealedKeys = pgTable("sealed_keys", {
  name: text("name").notNull(),
  masterKeyId: text("master_key_id").notNull(),
  sealed: bytes("sealed").notNull(),
  createdAt: moment("created_at").notNull().default(sql`now()`),
}, (t) => [primaryKey({ name: "sealed_keys_pk", columns: [t.name] })]);

/**
 * Certificate authorities (root, issuing). The root's private key is not here, but in a database of
 * 1.0.0; its revocation list is.
 */
export const authorities = pgTable("authorities", {
  name: text("name").notNull(),
  certificatePem: text("certificate_pem").notNull(),
  sealedPrivateKey: bytes("sealed_private_key"),
  revocationListPem: text("revocation_list_pem"),
  createdAt: moment("created_at").notNull().default(sql`now()`),
}, (t) => [primaryKey({ name: "authorities_pk", columns: [t.name] })]);

/** Keys that sign access tokens (Decision D17). */
export const tokenKeys = pgTable("token_keys", {
  keyId: text("key_id").notNull(),
  publicJwk: jsonb("public_jwk").$type<PublicJwk>().notNull(),
  sealedPrivateKey: bytes("sealed_private_key").notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
  createdAt: moment("created_at").notNull().default(sql`now()`),
}, (t) => [primaryKey({ name: "token_keys_pk", columns: [t.keyId] })]);
