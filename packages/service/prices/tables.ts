import { sql } from "drizzle-orm";
import { bigint, boolean, jsonb, pgTable, text } from "drizzle-orm/pg-core";
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

/**
 * The mid price by the minute, as the instances knew it; a minute without a row had none that could be
 * quoted. Written by `note_price`, which drops what is older than a month.
 */
export const priceMinutes = pgTable("price_minutes", {
  /** Its beginning. */
  minute: moment("minute").notNull(),
  leastTenThousandths: bigint("least_ten_thousandths", { mode: "bigint" }).notNull(),
  mostTenThousandths: bigint("most_ten_thousandths", { mode: "bigint" }).notNull(),
  lastTenThousandths: bigint("last_ten_thousandths", { mode: "bigint" }).notNull(),
});
