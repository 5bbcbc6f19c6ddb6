import { sql } from "drizzle-orm";
import { boolean, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

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
