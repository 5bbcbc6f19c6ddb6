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
