import type { Transaction } from "@sabika/database";

/**
 * Locks the rows of all pools, always in one order: whoever counts or changes bars waits until the transaction ends,
 * and nobody waits for another in a circle.
 */
export async function lockVault(sql: Transaction): Promise<void> {
  await sql`select from vault order by pool_id for no key update`;
}
