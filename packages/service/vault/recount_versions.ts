import { poolVersionHash } from "@sabika/protocol";
import { and, eq } from "drizzle-orm";
import { type Database, drizzle } from "@sabika/database";
import type { Difference } from "../ledger/reconcile.ts";
import { sumFine } from "./bars.ts";
import { type PoolVersion, writeVersion } from "./pool_versions.ts";
import { readLastNumber, type ReplayedVersion, replayVersions } from "./replay_versions.ts";
import { pools, poolVersions } from "./tables.ts";

/**
 * Recounts the versions of all pools, in control: each follows the one before it, and has the hash and the weight of its
 * list; the last is in force (Decision D102).
 *
 * @param query.whole from the first version; else each pool's last alone
 * @returns what differs; empty when all is well
 */
export async function recountVersions(
  { sql }: Pick<Database, "sql">,
  { whole }: { readonly whole: boolean },
): Promise<Difference[]> {
  return await sql.begin("isolation level repeatable read read only", async (tx) => {
    const wrong: string[] = [];
    for (const pool of await drizzle(tx).select().from(pools).orderBy(pools.poolNumber)) {
      const { poolId } = pool;
      const last = await readLastNumber(tx, poolId);
      const from = whole ? 1 : Math.max(last, 1);
      let [before] = await drizzle(tx).select().from(poolVersions)
        .where(and(eq(poolVersions.poolId, poolId), eq(poolVersions.number, from - 1)));
      for await (const replayed of replayVersions(tx, { poolId, from })) {
        const { number, version } = replayed;
        const isInForce = version?.versionId === pool.versionId;
        if (isInForce !== (number === last) || !await isRight(replayed, before)) {
          wrong.push(`${poolId} version ${number}`);
        }
        before = version;
      }
    }
    return wrong.map((subject) => ({
      check: "pools",
      partnerId: null,
      subject,
      expected: 1n,
      actual: 0n,
    }));
  });
}

async function isRight(
  { version, bars }: ReplayedVersion,
  before: PoolVersion | undefined,
): Promise<boolean> {
  return version !== undefined &&
    version.previousHash === (before?.hash ?? null) &&
    version.fineMicrograms === sumFine(bars) &&
    version.hash === await poolVersionHash(writeVersion(version, bars));
}
