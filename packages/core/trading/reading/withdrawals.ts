import { formatId, maskIban, type Withdrawal, type WithdrawalStatus } from "@sabika/protocol";
import type { Database } from "../../store/database.ts";
import {
  idConditions,
  type Listing,
  type ListQuery,
  readCursor,
  toPage,
} from "../../store/list_query.ts";

/** A row of `withdrawals`, as {@link WITHDRAWAL_COLUMNS} select it. */
export interface WithdrawalRow {
  withdrawal_id: string;
  status: WithdrawalStatus;
  amount_halalas: bigint;
  iban: string;
  client_reference: string | null;
  failure: string | null;
  created_ms: bigint;
  completed_ms: bigint | null;
}

export const WITHDRAWAL_COLUMNS = `w.withdrawal_id, w.status, w.amount_halalas, w.iban,
  w.client_reference, w.failure, (extract(epoch from w.created_at) * 1000)::bigint as created_ms,
  (extract(epoch from w.completed_at) * 1000)::bigint as completed_ms`;

/** One withdrawal, or undefined when the partner has none of this id. */
export async function getWithdrawal(
  { sql }: Database,
  of: { partnerId: number; withdrawalId: string },
): Promise<Withdrawal | undefined> {
  const [row] = await sql<WithdrawalRow[]>`
    select ${sql.unsafe(WITHDRAWAL_COLUMNS)} from withdrawals w
    where w.partner_id = ${of.partnerId}::integer and w.withdrawal_id = ${of.withdrawalId}::uuid`;
  return row && readWithdrawal(row);
}

/** Withdrawals, newest first. */
export async function listWithdrawals(
  { sql }: Database,
  query: ListQuery,
): Promise<Listing<Withdrawal>> {
  const cursor = readCursor("withdrawals", query.cursor);
  if (!cursor.ok) return cursor;
  const columns = { id: "w.withdrawal_id", time: "w.created_at", kind: "withdrawal" };
  const rows = await sql<WithdrawalRow[]>`
    select ${sql.unsafe(WITHDRAWAL_COLUMNS)} from withdrawals w
    where w.partner_id = ${query.partnerId}::integer
      ${idConditions(sql, query, columns, cursor.key)}
      ${query.status === undefined ? sql`` : sql`and w.status = ${query.status}`}
    order by w.withdrawal_id desc limit ${query.limit + 1}::integer`;
  return toPage("withdrawals", query.limit, rows, readWithdrawal, (row) => row.withdrawal_id);
}

/** A row as the partner sees it. */
export function readWithdrawal(row: WithdrawalRow): Withdrawal {
  return {
    id: formatId("wd", row.withdrawal_id),
    status: row.status,
    amountHalalas: row.amount_halalas,
    ibanMasked: maskIban(row.iban),
    clientReference: row.client_reference,
    createdAtMs: Number(row.created_ms),
    completedAtMs: row.completed_ms === null ? null : Number(row.completed_ms),
    failureReason: row.failure,
  };
}
