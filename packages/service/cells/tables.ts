import { sql } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

/** The states of a cell: `open` takes new partners, `draining` does not, `removed` is not used any more. */
export const CELL_STATES = ["open", "draining", "removed"] as const;

/** The cells that partners' own rows are in (Decision D53); `main` is in control's database. */
export const cells = pgTable("cells", {
  cellId: text("cell_id").notNull(),
  addedAt: moment("added_at").notNull().default(sql`now()`),
  state: text("state", { enum: CELL_STATES }).notNull().default("open"),
});
