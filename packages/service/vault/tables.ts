import { sql } from "drizzle-orm";
import { bigint, boolean, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
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
  /** Vault and place; null for older bars. */
  place: text("place"),
  /** The reference of the document that came with it. */
  document: text("document"),
});

/** Counts of the bars of a place, or of the whole vault: `place` is null (Decision D101). */
export const vaultCounts = pgTable("vault_counts", {
  /** That of the act. */
  countId: uuid("count_id").notNull(),
  place: text("place"),
  countedAt: moment("counted_at").notNull(),
  countedBy: text("counted_by").notNull(),
});

/** The bars of counts. */
export const vaultCountLines = pgTable("vault_count_lines", {
  countId: uuid("count_id").notNull(),
  serial: text("serial").notNull(),
  /** As the bar was recorded, as are fineness and weight; null for one that was not expected. */
  refiner: text("refiner"),
  finenessTenThousandths: integer("fineness_ten_thousandths"),
  /** Gross. */
  weightMicrograms: bigint("weight_micrograms", { mode: "bigint" }),
  isSeen: boolean("is_seen").notNull(),
  /** Gross, as the bar was weighed; null if it was not. */
  weighedMicrograms: bigint("weighed_micrograms", { mode: "bigint" }),
  finding: text("finding").$type<"found" | "missing" | "unexpected" | "different">().notNull()
    .generatedAlwaysAs(sql`case
      when weight_micrograms is null then 'unexpected'
      when not is_seen then 'missing'
      when weighed_micrograms <> weight_micrograms then 'different'
      else 'found' end`),
});
