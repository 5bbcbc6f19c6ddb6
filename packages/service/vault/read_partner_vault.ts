import type { Vault } from "@sabika/protocol";
import { and, eq, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { readLastCount } from "./last_counts.ts";
import {
  type PoolVersion,
  readListedBars,
  readVersionInForce,
  writeVersion,
} from "./pool_versions.ts";
import { readPoolOf } from "./pools.ts";
import { poolVersions, vaultCountLines } from "./tables.ts";

/** What partners read of their pool, in control. */
export interface VaultReader {
  /** The partner's pool as it is now; undefined before its first bar. */
  vault(partnerId: number): Promise<Vault | undefined>;
  /** The canonical JSON of a version of the partner's pool; undefined for one that there is not. */
  version(partnerId: number, number: number): Promise<string | undefined>;
}

/** Versions whose texts are kept in memory: they never change, and partners of a pool read the same. */
const MOST_KEPT = 4;

/** Creates the reader of pools; `now` is epoch milliseconds. */
export function createVaultReader(
  { database: { sql }, now }: { database: { sql: AnySql }; now: () => number },
): VaultReader {
  const kept = new Map<string, Promise<string>>();
  const textOf = (version: PoolVersion): Promise<string> => {
    const found = kept.get(version.hash) ?? readText(sql, version);
    kept.delete(version.hash);
    const [oldest] = kept.keys();
    if (kept.size >= MOST_KEPT) kept.delete(oldest!);
    kept.set(version.hash, found);
    found.catch(() => kept.delete(version.hash));
    return found;
  };
  return {
    async vault(partnerId) {
      const version = await readVersionInForce(sql, await readPoolOf(sql, partnerId));
      if (version === undefined) return undefined;
      const [bars] = await sql<{ n: number }[]>`select count(*)::int as n from (
        select distinct on (serial) is_listed from pool_version_bars
        where pool_id = ${version.poolId} order by serial, number desc) last where is_listed`;
      return {
        poolId: version.poolId,
        version: version.number,
        hash: version.hash,
        madeAtMs: version.madeAt,
        fineMicrograms: version.fineMicrograms,
        bars: bars!.n,
        lastCount: await lastCountOf(sql, version.poolId, now()),
      };
    },
    async version(partnerId, number) {
      const poolId = await readPoolOf(sql, partnerId);
      const [version] = await drizzle(sql).select().from(poolVersions)
        .where(and(eq(poolVersions.poolId, poolId), eq(poolVersions.number, number)));
      return version && await textOf(version);
    },
  };
}

const readText = async (sql: AnySql, version: PoolVersion): Promise<string> =>
  writeVersion(version, await readListedBars(sql, version));

/** The last count of a pool (Decision D104). */
async function lastCountOf(
  sql: AnySql,
  poolId: string,
  nowMs: number,
): Promise<Vault["lastCount"]> {
  const count = await readLastCount(sql, poolId, nowMs);
  if (count === undefined) return null;
  const different = await drizzle(sql).select({ serial: vaultCountLines.serial })
    .from(vaultCountLines)
    .where(
      and(
        eq(vaultCountLines.countId, count.countId),
        expression`${vaultCountLines.finding} <> 'found'`,
      ),
    ).limit(1);
  return {
    countedAtMs: count.atMs,
    ageSeconds: Math.max(0, Math.floor((nowMs - count.atMs) / 1_000)),
    agrees: different.length === 0,
  };
}
