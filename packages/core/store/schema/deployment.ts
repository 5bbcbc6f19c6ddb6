import { sql } from "drizzle-orm";
import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/**
 * What this database is: one row, written by the first start (Decision D40), or when it was added as a
 * cell (Decision D53).
 */
export const deployment = pgTable("deployment", {
  singleton: boolean("singleton").notNull().default(true),
  environment: text("environment").$type<"sandbox" | "production">().notNull(),
  dataVersion: integer("data_version").notNull(),
  createdAt: moment("created_at").notNull().default(sql`now()`),
  /** The same in control and all its cells. */
  deploymentId: uuid("deployment_id").notNull().default(sql`gen_random_uuid()`),
  /** Which cell this is; `main` is control itself. */
  cellId: text("cell_id").notNull().default("main"),
});

/** Counts the changes of the register, so that instances know when to read it again. */
export const registerState = pgTable("register_state", {
  singleton: boolean("singleton").notNull().default(true),
  revision: bigint("revision", { mode: "bigint" }).notNull().default(sql`0`),
});

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
