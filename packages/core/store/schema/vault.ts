import { sql } from "drizzle-orm";
import { bigint, boolean, check, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/** The physical gold and how much of it is allocated (Decision D39): one row. */
export const vault = pgTable("vault", {
  singleton: boolean("singleton").notNull().default(true),
  barsMicrograms: bigint("bars_micrograms", { mode: "bigint" }).notNull().default(sql`0`),
  allocatedMicrograms: bigint("allocated_micrograms", { mode: "bigint" }).notNull().default(sql`0`),
}, (t) => [
  primaryKey({ name: "vault_pk", columns: [t.singleton] }),
  check("vault_singleton", sql`${t.singleton}`),
  check(
    "vault_backs_allocations",
    sql`0 <= ${t.allocatedMicrograms} and ${t.allocatedMicrograms} <= ${t.barsMicrograms}`,
  ),
]);

/** The bars in the vault, past and present. */
export const vaultBars = pgTable("vault_bars", {
  serial: text("serial").notNull(),
  refiner: text("refiner").notNull(),
  /** Parts in ten thousand: 999.9 is 9999. */
  finenessTenThousandths: integer("fineness_ten_thousandths").notNull(),
  weightMicrograms: bigint("weight_micrograms", { mode: "bigint" }).notNull(),
  addedAt: moment("added_at").notNull().default(sql`now()`),
  removedAt: moment("removed_at"),
}, (t) => [
  primaryKey({ name: "vault_bars_pk", columns: [t.serial] }),
  check("vault_bars_weight", sql`${t.weightMicrograms} > 0`),
  check("vault_bars_fineness", sql`${t.finenessTenThousandths} between 9900 and 10000`),
]);
