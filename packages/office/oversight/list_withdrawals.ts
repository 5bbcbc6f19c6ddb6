import type { WithdrawalStatus } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import { type Database, type Given, preparedQuery } from "@sabika/database";
import { readWithdrawalToPay, type WithdrawalToPay } from "@sabika/service/bank";
import { withdrawals } from "@sabika/service/withdrawals";
import { type FilterOfAll, type GivenOfAll, newestOfAll } from "./newest_of_all.ts";
import { type PartOfAll, readPartOfAll } from "./page_of_all.ts";

/** Which withdrawals are listed; what is left out narrows nothing. */
export interface WithdrawalFilter extends FilterOfAll {
  readonly status?: WithdrawalStatus | undefined;
}

const { partnerId, withdrawalId: id, createdAt: time, status } = withdrawals;

const selectWithdrawals = preparedQuery((orm, filter: GivenOfAll & Given<never, "status">) => {
  const page = newestOfAll(
    orm,
    { partnerId, id, time },
    filter,
    filter.status && eq(status, filter.status),
  );
  return orm.select({ clientId: page.clientId, withdrawal: withdrawals }).from(page)
    .innerJoin(withdrawals, and(eq(partnerId, page.partnerId), eq(id, page.id)))
    .orderBy(desc(page.id));
});

/** Withdrawals of all partners or one, newest first, with the whole IBAN. */
export async function listWithdrawalsOfAll(
  { sql }: Database,
  { status, ...filter }: WithdrawalFilter,
): Promise<PartOfAll<WithdrawalToPay>> {
  return await readPartOfAll(sql, filter, {
    prefix: "wd",
    read: (values) => selectWithdrawals(sql, { ...values, status }),
    idOf: ({ withdrawal }) => withdrawal.withdrawalId,
    itemOf: readWithdrawalToPay,
  });
}
