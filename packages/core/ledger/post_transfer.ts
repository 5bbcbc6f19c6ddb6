import type { Account, Asset } from "@sabika/protocol";
import type { AnySql } from "../store/sql.ts";
import { ACCOUNT_COLUMNS } from "./account_columns.ts";

/** A transfer between two accounts of one partner (Decision D37). */
export interface NewTransfer {
  readonly partnerId: number;
  readonly asset: Asset;
  readonly debit: Account;
  readonly credit: Account;
  readonly amount: bigint;
  readonly sourceKind: string;
  readonly sourceId: string;
}

/**
 * Posts one transfer and moves the two balances, in the caller's transaction; outside the hot path.
 * The partner's accounts row is locked by it.
 *
 * @throws PostgresError 23514 when a balance that may not would become negative
 */
export async function postTransfer(sql: AnySql, transfer: NewTransfer): Promise<void> {
  const debit = sql(ACCOUNT_COLUMNS[transfer.debit].column);
  const credit = sql(ACCOUNT_COLUMNS[transfer.credit].column);
  const { partnerId, amount } = transfer;
  const [account] = await sql<{ last_transfer: bigint }[]>`
    update accounts set ${debit} = ${debit} - ${amount}, ${credit} = ${credit} + ${amount},
      last_transfer = last_transfer + 1
    where partner_id = ${partnerId}::integer returning last_transfer`;
  if (!account) throw new Error(`partner ${partnerId} has no accounts`);
  await sql`
    insert into transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
      credit_account, source_kind)
    values (${partnerId}::integer, ${account.last_transfer}, ${amount},
      date_trunc('milliseconds', clock_timestamp()), ${transfer.sourceId}::uuid, ${transfer.asset},
      ${transfer.debit}, ${transfer.credit}, ${transfer.sourceKind})`;
}
