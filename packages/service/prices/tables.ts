import { sql } from "drizzle-orm";
import { bigint, boolean, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";
import type { PriceKind } from "./price_source.ts";

/** The prices that quotes were made at (Decision D88): written once, never changed. */
export const prices = pgTable("prices", {
  priceNumber: bigint("price_number", { mode: "bigint" }).notNull(),
  midTenThousandths: bigint("mid_ten_thousandths", { mode: "bigint" }).notNull(),
  /** The feed's own time. */
  asOf: moment("as_of").notNull(),
  /** By the database's clock. */
  arrivedAt: moment("arrived_at").notNull(),
  source: text("source").$type<PriceKind>().notNull(),
  /** The feed's host, or who set the price (Decision D95); null for older prices, as what follows. */
  origin: text("origin"),
  /** The number as it came. */
  rawValue: text("raw_value"),
  rawUnit: text("raw_unit"),
  /** How it became riyals a gram; null if it was. */
  conversion: text("conversion"),
  /** Why it was accepted. */
  accepted: text("accepted"),
});

/** Prices that were refused, kept for a month (Decision D95): at most one a second for each reason. */
export const refusedPrices = pgTable("refused_prices", {
  refusedAt: moment("refused_at").notNull(),
  reason: text("reason").notNull(),
  /** The feed's host. */
  origin: text("origin"),
  rawValue: text("raw_value"),
  midTenThousandths: bigint("mid_ten_thousandths", { mode: "bigint" }),
  asOf: moment("as_of"),
});

/** Where prices come from (Decision D9): one row. */
export const priceSettings = pgTable("price_settings", {
  singleton: boolean("singleton").notNull().default(true),
  source: text("source").$type<PriceKind>().notNull().default("simulated"),
  configuration: jsonb("configuration").$type<Record<string, unknown>>().notNull().default(
    sql`'{}'::jsonb`,
  ),
  paused: boolean("paused").notNull().default(false),
  updatedAt: moment("updated_at").notNull().default(sql`now()`),
});

/** What a sandbox's partner set (Decision D111): one row, or none. */
export const scenario = pgTable("scenario", {
  singleton: boolean("singleton").notNull().default(true),
  price: jsonb("price").$type<StoredPriceScenario>(),
  clockAheadMs: bigint("clock_ahead_ms", { mode: "number" }).notNull().default(0),
});

/** A course of the price in a sandbox. */
export interface StoredPriceScenario {
  /** Epoch milliseconds and the mid price from then on; null: the market is closed. */
  readonly path?: readonly (readonly [atMs: number, mid: string | null])[];
  /** Times of day in Riyadh; both or neither. */
  readonly opens?: string;
  readonly closes?: string;
}
