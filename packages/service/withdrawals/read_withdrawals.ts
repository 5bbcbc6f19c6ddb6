import { formatId, maskIban, type Withdrawal } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import { type Database, type Inputs, preparedQuery } from "@sabika/database";
import {
  listedById,
  type Listing,
  type ListInputs,
  type ListQuery,
  readPage,
} from "../lists/list_query.ts";
import { withdrawals } from "./tables.ts";

const { partnerId, withdrawalId: id, createdAt: time } = withdrawals;

const selectWithdrawal = preparedQuery((orm, values: Inputs<"partnerId" | "id">) =>
  orm.select().from(withdrawals).where(and(eq(partnerId, values.partnerId), eq(id, values.id)))
);

const selectWithdrawals = preparedQuery((orm, values: ListInputs & Inputs<never, "status">) =>
  orm.select().from(withdrawals)
    .where(and(
      listedById({ partnerId, id, time, kind: "withdrawal" }, values),
      values.status && eq(withdrawals.status, values.status),
    ))
    .orderBy(desc(id)).limit(values.limit)
);

/** One withdrawal, or undefined when the partner has none of this id. */
export async function getWithdrawal(
  { sql }: Database,
  query: { partnerId: number; withdrawalId: string },
): Promise<Withdrawal | undefined> {
  const [row] = await selectWithdrawal(sql, { partnerId: query.partnerId, id: query.withdrawalId });
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

/** Makes of a row the withdrawal that the partner sees. */
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
