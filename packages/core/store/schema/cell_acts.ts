import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { cells } from "./cells.ts";
import { moment } from "./columns.ts";
import { partners } from "./partners.ts";

/**
 * Acts on partners' rows (Decision D53), as control records them. A cell gets a copy of its own ones and
 * books by that; what came of it is written in control alone.
 */
export const cellActs = pgTable("cell_acts", {
  actId: uuid("act_id").notNull(),
  cellId: text("cell_id").notNull(),
  partnerId: integer("partner_id").notNull(),
  /** The act, as the audit log names it. */
  name: text("name").notNull(),
  /** The withdrawal or event that it is about, the id of what it makes, or the act's own. */
  subjectId: uuid("subject_id").notNull(),
  /** Halalas of a funding, micrograms of a grant, deliveries in flight of an endpoint. */
  amount: bigint("amount", { mode: "bigint" }),
  /**
   * The bank's reference, why a payment failed, why a lane is closed, a ping's object, or `first` where a
   * partner had no endpoint before.
   */
  note: text("note"),
  recordedAt: moment("recorded_at").notNull().default(sql`now()`),
  /** `booked`, `repeated`, or why the cell refused it; null while it is open. */
  result: text("result"),
  finishedAt: moment("finished_at"),
}, (t) => [
  primaryKey({ name: "cell_acts_pk", columns: [t.actId] }),
  foreignKey({
    name: "cell_acts_cell_fk",
    columns: [t.cellId],
    foreignColumns: [cells.cellId],
  }),
  foreignKey({
    name: "cell_acts_partner_fk",
    columns: [t.partnerId],
    foreignColumns: [partners.partnerId],
  }),
  check("cell_acts_amount", sql`${t.amount} > 0`),
  check("cell_acts_finished", sql`(${t.result} is null) = (${t.finishedAt} is null)`),
  index("cell_acts_cell").on(t.cellId),
  index("cell_acts_open").on(t.recordedAt).where(sql`${t.result} is null`),
]);

/** Which of them a cell has booked, or refused: each once. */
export const bookedActs = pgTable("booked_acts", {
  partnerId: integer("partner_id").notNull(),
  actId: uuid("act_id").notNull(),
  result: text("result").notNull(),
  bookedAt: moment("booked_at").notNull(),
}, (t) => [primaryKey({ name: "booked_acts_pk", columns: [t.partnerId, t.actId] })]);
