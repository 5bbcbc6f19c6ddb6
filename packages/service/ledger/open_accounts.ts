import type { AnySql } from "@sabika/database";

/**
 * Gives a partner its accounts and its webhook lane. To be called once, in the transaction that
 * admits the partner.
 */
export async function openAccounts(sql: AnySql, partnerId: number): Promise<void> {
  await sql`select open_accounts(${partnerId}::integer)`;
}

/** Locks a partner's accounts until the end of the transaction: first of all locks, as everywhere. */
export async function lockAccounts(sql: AnySql, partnerId: number): Promise<void> {
  await sql`select lock_accounts(${partnerId}::integer)`;
}
