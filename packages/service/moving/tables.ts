import { sql } from "drizzle-orm";
import { integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

/** Moves of partners between cells (Decision D53), as control records them; one at a time for each. */
export const partnerMoves = pgTable("partner_moves", {
  moveId: uuid("move_id").notNull(),
  partnerId: integer("partner_id").notNull(),
  fromCell: text("from_cell").notNull(),
  toCell: text("to_cell").notNull(),
  step: text("step").$type<"copying" | "fencing" | "switched" | "done" | "cancelled">().notNull()
    .default("copying"),
  /** The acts by which the vault's grant goes from cell to cell. */
  leaveActId: uuid("leave_act_id").notNull(),
  enterActId: uuid("enter_act_id").notNull(),
  begunAt: moment("begun_at").notNull().default(sql`now()`),
  endedAt: moment("ended_at"),
});

/**
 * What a cell knows about moves of a partner: `awaited` with the accounts and lane that it will have
 * here, `entered`, and `left` with those that it had.
 */
export const moveEnds = pgTable("move_ends", {
  moveId: uuid("move_id").notNull(),
  partnerId: integer("partner_id").notNull(),
  side: text("side").$type<"awaited" | "entered" | "left">().notNull(),
  /** Rows as text. */
  accounts: text("accounts"),
  lane: text("lane"),
  at: moment("at").notNull().default(sql`clock_timestamp()`),
});
