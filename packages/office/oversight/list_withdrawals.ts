import { desc } from "drizzle-orm";
import { readWithdrawalToPay } from "@sabika/service/bank";
import { withdrawals } from "@sabika/service/withdrawals";
import { listOfAll } from "./list_of_all.ts";

/** Lists withdrawals of all partners or one, newest first, with the whole IBAN. */
export const listWithdrawalsOfAll = listOfAll(
  {
    prefix: "wd",
    key: {
      partnerId: withdrawals.partnerId,
      id: withdrawals.withdrawalId,
      time: withdrawals.createdAt,
    },
    filters: {
      status: withdrawals.status,
      clientReference: withdrawals.clientReference,
      amountHalalas: withdrawals.amountHalalas,
      iban: withdrawals.iban,
    },
  },
  (orm, { page, isRow }) =>
    orm.select({
      clientId: page.clientId,
      rowId: withdrawals.withdrawalId,
      withdrawal: withdrawals,
    })
      .from(page).innerJoin(withdrawals, isRow).orderBy(desc(page.id)),
  (row) => readWithdrawalToPay(row),
);
