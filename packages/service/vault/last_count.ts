import { and, desc, eq } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { vaultCounts } from "./tables.ts";

/** The last count that covered all bars of a pool (Decision D104). */
export interface LastCountOfPool {
  /** The pool's version that was in force. */
  readonly version: number;
  /** When it was counted, epoch milliseconds. */
  readonly at: number;
  /** Who counted. */
  readonly by: string;
  /** The inspector who signed it too; null if none did. */
  readonly inspector: string | null;
}

/** Reads the last count that covered all bars of a pool, in control; null if there was none. */
export async function readLastCount(sql: AnySql, poolId: string): Promise<LastCountOfPool | null> {
  const [count] = await drizzle(sql).select().from(vaultCounts)
    .where(and(eq(vaultCounts.poolId, poolId), eq(vaultCounts.isWhole, true)))
    .orderBy(desc(vaultCounts.countedAt), desc(vaultCounts.countId)).limit(1);
  if (count === undefined || count.version === null) return null;
  const { version, countedAt: at, countedBy: by } = count;
  return { version, at, by, inspector: null };
}
