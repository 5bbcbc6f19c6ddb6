import { and, between, eq, sql as expression } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import { vault } from "./tables.ts";

/** Adds to what is allocated from a pool; false when that would exceed its bars. */
export async function changeAllocated(
  sql: Transaction,
  poolId: string,
  micrograms: bigint,
): Promise<boolean> {
  const after = expression`${vault.allocatedMicrograms} + ${micrograms}`;
  const changed = await drizzle(sql).update(vault).set({ allocatedMicrograms: after })
    .where(and(eq(vault.poolId, poolId), between(after, 0n, vault.barsMicrograms))).returning();
  return changed.length === 1;
}

/**
 * Whether nothing may be allocated from a pool now, as a count found a difference that is open (Decision D104). The
 * pool's row is locked, so that nobody counts it until the transaction ends.
 */
export async function isStopped(sql: Transaction, poolId: string): Promise<boolean> {
  await sql`select from vault where pool_id = ${poolId} for no key update`;
  const open = await sql`select from open_differences(${poolId}) limit 1`;
  return open.length > 0;
}
