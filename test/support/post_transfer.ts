import type { Account, Asset } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";

/** A transfer between two accounts of one partner (Decision D37). */
interface NewTransfer {
  readonly partnerId: number;
  readonly asset: Asset;
  readonly debit: Account;
  readonly credit: Account;
  /** Halalas for SAR, micrograms for XAU. */
  readonly amount: bigint;
  readonly sourceKind: string;
  readonly sourceId: string;
}

/** Posts one transfer and moves the two balances. */
export async function postTransfer(sql: AnySql, transfer: NewTransfer): Promise<void> {
  const { partnerId, asset, debit, credit, amount, sourceKind, sourceId } = transfer;
  await sql`select post_transfer(${partnerId}::integer, ${asset}, ${debit}, ${credit},
    ${amount}::bigint, ${sourceKind}, ${sourceId}::uuid)`;
}
