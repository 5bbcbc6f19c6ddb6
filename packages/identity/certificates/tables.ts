import { sql } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

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
});
