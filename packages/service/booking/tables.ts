import { sql } from "drizzle-orm";
import { bigint, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

/**
 * Acts on partners' rows (Decision D53), as control records them. A cell gets copies of its acts
 * and books them; the result is only recorded in control.
 */
export const cellActs = pgTable("cell_acts", {
  actId: uuid("act_id").notNull(),
  cellId: text("cell_id").notNull(),
  partnerId: integer("partner_id").notNull(),
  /** The act, as the audit log names it. */
  name: text("name").notNull(),
  /** The UUID of the withdrawal or event that the act concerns, or of what it makes, or its own. */
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
});

/** The acts that a cell has booked or refused, each once. */
export const bookedActs = pgTable("booked_acts", {
  partnerId: integer("partner_id").notNull(),
  actId: uuid("act_id").notNull(),
  result: text("result").notNull(),
  bookedAt: moment("booked_at").notNull(),
});
