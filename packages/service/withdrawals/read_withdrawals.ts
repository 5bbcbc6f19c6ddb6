import { formatId, maskIban, type Withdrawal } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import { type Database, type Given, preparedQuery } from "@sabika/database";
import {
  listedById,
  type ListGiven,
  type Listing,
  type ListQuery,
  readPage,
} from "../lists/list_query.ts";
import { withdrawals } from "./tables.ts";

const { partnerId, withdrawalId: id, createdAt: time } = withdrawals;

const selectWithdrawal = preparedQuery((orm, given: Given<"partnerId" | "id">) =>
  orm.select().from(withdrawals).where(and(eq(partnerId, given.partnerId), eq(id, given.id)))
);

const selectWithdrawals = preparedQuery((orm, given: ListGiven & Given<never, "status">) =>
  orm.select().from(withdrawals)
    .where(and(
      listedById({ partnerId, id, time, kind: "withdrawal" }, given),
      given.status && eq(withdrawals.status, given.status),
    ))
    .orderBy(desc(id)).limit(given.limit)
);

/** One withdrawal, or undefined when the partner has none of this id. */
export async function getWithdrawal(
  { sql }: Database,
  of: { partnerId: number; withdrawalId: string },
): Promise<Withdrawal | undefined> {
  const [row] = await selectWithdrawal(sql, { partnerId: of.partnerId, id: of.withdrawalId });
  return row && readWithdrawal(row);
}

/** Withdrawals, newest first. */
export function listWithdrawals({ sql }: Database, query: ListQuery): Promise<Listing<Withdrawal>> {
  return readPage(
    "withdrawals",
    query,
    (values) => selectWithdrawals(sql, { ...values, status: query.status }),
    readWithdrawal,
    (row) => row.withdrawalId,
  );
}

/** A row as the partner sees it. */
export function readWithdrawal(row: typeof withdrawals.$inferSelect): Withdrawal {
  return {
    id: formatId("wd", row.withdrawalId),
    status: row.status,
    amountHalalas: row.amountHalalas,
    ibanMasked: maskIban(row.iban),
    clientReference: row.clientReference,
    createdAtMs: row.createdAt,
    completedAtMs: row.completedAt,
    failureReason: row.failure,
  };
}
