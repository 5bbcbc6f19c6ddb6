import { sql } from "drizzle-orm";
import { bigint, boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

/** The physical gold and how much of it is allocated, both fine (Decisions D39, D94): one row. */
export const vault = pgTable("vault", {
  singleton: boolean("singleton").notNull().default(true),
  barsMicrograms: bigint("bars_micrograms", { mode: "bigint" }).notNull().default(sql`0`),
  allocatedMicrograms: bigint("allocated_micrograms", { mode: "bigint" }).notNull().default(sql`0`),
});

/** The bars in the vault, past and present. */
export const vaultBars = pgTable("vault_bars", {
  serial: text("serial").notNull(),
  refiner: text("refiner").notNull(),
  /** Parts in ten thousand: 999.9 is 9999. */
  finenessTenThousandths: integer("fineness_ten_thousandths").notNull(),
  /** Gross. */
  weightMicrograms: bigint("weight_micrograms", { mode: "bigint" }).notNull(),
  /** Weight × fineness, rounded down: what the bar counts for (Decision D94). */
  fineMicrograms: bigint("fine_micrograms", { mode: "bigint" }).notNull().generatedAlwaysAs(
    sql`weight_micrograms * fineness_ten_thousandths / 10000`,
  ),
  addedAt: moment("added_at").notNull().default(sql`now()`),
  removedAt: moment("removed_at"),
});
