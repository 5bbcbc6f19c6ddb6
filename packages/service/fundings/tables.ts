import { bigint, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

const amount = (name: string) => bigint(name, { mode: "bigint" });

/** Money that came in: sandbox funding, or a bank transfer with its reference (Decision D14). */
export const fundings = pgTable("fundings", {
  partnerId: integer("partner_id").notNull(),
  fundingId: uuid("funding_id").notNull(),
  amountHalalas: amount("amount_halalas").notNull(),
  cashAfterHalalas: amount("cash_after_halalas").notNull(),
  createdAt: moment("created_at").notNull(),
  /** The bank's reference, unique per partner; null in the sandbox. */
  reference: text("reference"),
});
