import { sql } from "drizzle-orm";
import { check, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/** The cells that partners' own rows are in (Decision D53); `main` is in control's database. */
export const cells = pgTable("cells", {
  cellId: text("cell_id").notNull(),
  addedAt: moment("added_at").notNull().default(sql`now()`),
}, (t) => [
  primaryKey({ name: "cells_pk", columns: [t.cellId] }),
  check("cells_cell_id", sql`${t.cellId} ~ '^[a-z][a-z0-9_]{0,30}$'`),
]);
