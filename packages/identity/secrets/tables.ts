import { sql } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

/** Keys of the deployment itself, sealed under a master key (AES-GCM). */
export const sealedKeys = pgTable("sealed_keys", {
  name: text("name").notNull(),
  masterKeyId: text("master_key_id").notNull(),
  sealed: bytes("sealed").notNull(),
  createdAt: moment("created_at").notNull().default(sql`now()`),
});
