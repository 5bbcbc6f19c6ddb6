import type { AnySql } from "@sabika/database";

/**
 * Opens a partner's accounts and webhook lane. Must be called once, in the transaction that admits the
 * partner.
 */
export async function openAccounts(sql: AnySql, partnerId: number): Promise<void> {
  await sql`select open_accounts(${partnerId}::integer)`;
}

/** Locks a partner's accounts until the end of the transaction; must be its first lock. */
export async function lockAccounts(sql: AnySql, partnerId: number): Promise<void> {
  await sql`select lock_accounts(${partnerId}::integer)`;
}
