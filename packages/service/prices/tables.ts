import { sql } from "drizzle-orm";
import { boolean, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

/** Where prices come from (Decision D9): one row. */
export const priceSettings = pgTable("price_settings", {
  singleton: boolean("singleton").notNull().default(true),
  source: text("source").$type<"simulated" | "fixed" | "feed">().notNull().default("simulated"),
  configuration: jsonb("configuration").$type<Record<string, unknown>>().notNull().default(
    sql`'{}'::jsonb`,
  ),
  paused: boolean("paused").notNull().default(false),
  updatedAt: moment("updated_at").notNull().default(sql`now()`),
});
