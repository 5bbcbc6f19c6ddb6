import { bigint, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

const amount = (name: string) => bigint(name, { mode: "bigint" });

/** Withdrawals to the settlement IBAN (Decision D13). */
export const withdrawals = pgTable("withdrawals", {
  partnerId: integer("partner_id").notNull(),
  withdrawalId: uuid("withdrawal_id").notNull(),
  amountHalalas: amount("amount_halalas").notNull(),
  createdAt: moment("created_at").notNull(),
  completedAt: moment("completed_at"),
  status: text("status").$type<"pending" | "processing" | "completed" | "failed" | "cancelled">()
    .notNull(),
  iban: text("iban").notNull(),
  clientReference: text("client_reference"),
  failure: text("failure"),
});
