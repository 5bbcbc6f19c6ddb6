import type { Account, Asset } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";

/** A transfer between two accounts of one partner (Decision D37). */
export interface NewTransfer {
  readonly partnerId: number;
  readonly asset: Asset;
  readonly debit: Account;
  readonly credit: Account;
  /** Halalas for SAR, micrograms for XAU. */
  readonly amount: bigint;
  readonly sourceKind: string;
  readonly sourceId: string;
}

/**
 * Posts one transfer and moves the two balances, in the caller's transaction; outside the hot path.
 * Locks the partner's accounts row.
 *
 * @throws PostgresError 23514 when a balance would become negative that must not
 */
export async function postTransfer(sql: AnySql, transfer: NewTransfer): Promise<void> {
  const { partnerId, asset, debit, credit, amount, sourceKind, sourceId } = transfer;
  await sql`select post_transfer(${partnerId}::integer, ${asset}, ${debit}, ${credit},
    ${amount}::bigint, ${sourceKind}, ${sourceId}::uuid)`;
}
