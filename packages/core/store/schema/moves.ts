import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { cells } from "./cells.ts";
import { moment } from "./columns.ts";
import { partners } from "./partners.ts";

/** Moves of partners from cell to cell (Decision D53), as control records them: one at a time of each. */
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
}, (t) => [
  primaryKey({ name: "partner_moves_pk", columns: [t.moveId] }),
  foreignKey({
    name: "partner_moves_partner_fk",
    columns: [t.partnerId],
    foreignColumns: [partners.partnerId],
  }),
  foreignKey({
    name: "partner_moves_from_fk",
    columns: [t.fromCell],
    foreignColumns: [cells.cellId],
  }),
  foreignKey({
    name: "partner_moves_to_fk",
    columns: [t.toCell],
    foreignColumns: [cells.cellId],
  }),
  check("partner_moves_cells", sql`${t.fromCell} <> ${t.toCell}`),
  check(
    "partner_moves_step",
    sql`${t.step} in ('copying', 'fencing', 'switched', 'done', 'cancelled')`,
  ),
  check(
    "partner_moves_ended",
    sql`(${t.step} in ('done', 'cancelled')) = (${t.endedAt} is not null)`,
  ),
  uniqueIndex("partner_moves_open").on(t.partnerId).where(sql`${t.endedAt} is null`),
]);

/**
 * What a cell knows of a partner's coming and going: `awaited` with the accounts and the lane that it
 * will have here, `entered`, and `left` with those that it had.
 */
export const moveEnds = pgTable("move_ends", {
  moveId: uuid("move_id").notNull(),
  partnerId: integer("partner_id").notNull(),
  side: text("side").$type<"awaited" | "entered" | "left">().notNull(),
  /** Rows as text. */
  accounts: text("accounts"),
  lane: text("lane"),
  at: moment("at").notNull().default(sql`clock_timestamp()`),
}, (t) => [
  primaryKey({ name: "move_ends_pk", columns: [t.moveId, t.side] }),
  check("move_ends_side", sql`${t.side} in ('awaited', 'entered', 'left')`),
]);
