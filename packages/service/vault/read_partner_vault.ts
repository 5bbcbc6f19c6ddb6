import type { Vault } from "@sabika/protocol";
import { and, eq } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { findInspection } from "./find_inspection.ts";
import { readLastCount } from "./last_counts.ts";
import {
  type PoolVersion,
  readListedBars,
  readVersionInForce,
  writeVersion,
} from "./pool_versions.ts";
import { readPoolOf } from "./pools.ts";
import { findCount, type VaultCountWhole } from "./read_counts.ts";
import { poolVersions } from "./tables.ts";

/** What partners read of their pool, in control. */
export interface VaultReader {
  /** The partner's pool as it is now; undefined before its first bar. */
  vault(partnerId: number): Promise<Vault | undefined>;
  /** The canonical JSON of a version of the partner's pool; undefined for one that there is not. */
  version(partnerId: number, number: number): Promise<string | undefined>;
}

/** Versions and counts that are kept in memory: they never change, and partners of a pool read the same. */
const MOST_KEPT = 4;

/** Creates the reader of pools; `now` is epoch milliseconds. */
export function createVaultReader(
  { database: { sql }, now }: { database: { sql: AnySql }; now: () => number },
): VaultReader {
  const texts = keepFew(
    (version: PoolVersion) => version.hash,
    (version) => readText(sql, version),
  );
  const counts = keepFew((countId: string) => countId, (countId) => findCount(sql, countId));
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
        lastCount: await lastCountOf(sql, counts, { poolId: version.poolId, nowMs: now() }),
      };
    },
    async version(partnerId, number) {
      const poolId = await readPoolOf(sql, partnerId);
      const [version] = await drizzle(sql).select().from(poolVersions)
        .where(and(eq(poolVersions.poolId, poolId), eq(poolVersions.number, number)));
      return version && await texts(version);
    },
  };
}

const readText = async (sql: AnySql, version: PoolVersion): Promise<string> =>
  writeVersion(version, await readListedBars(sql, version));

/** Keeps the few that were read last. */
function keepFew<K, T>(
  nameOf: (key: K) => string,
  read: (key: K) => Promise<T>,
): (key: K) => Promise<T> {
  const kept = new Map<string, Promise<T>>();
  return (key) => {
    const name = nameOf(key);
    const found = kept.get(name) ?? read(key);
    kept.delete(name);
    const [oldest] = kept.keys();
    if (kept.size >= MOST_KEPT) kept.delete(oldest!);
    kept.set(name, found);
    found.catch(() => kept.delete(name));
    return found;
  };
}

/** The last count of a pool (Decision D104), and who inspected it (D106). */
async function lastCountOf(
  sql: AnySql,
  counts: (countId: string) => Promise<VaultCountWhole | undefined>,
  { poolId, nowMs }: { readonly poolId: string; readonly nowMs: number },
): Promise<Vault["lastCount"]> {
  const last = await readLastCount(sql, poolId, nowMs);
  if (last === undefined) return null;
  const { missing, unexpected, different, sha256 } = (await counts(last.countId))!;
  // A signature may come later.
  const inspection = await findInspection(sql, last.countId);
  return {
    countedAtMs: last.atMs,
    ageSeconds: Math.max(0, Math.floor((nowMs - last.atMs) / 1_000)),
    agrees: missing + unexpected + different === 0,
    sha256,
    inspected: inspection && {
      by: inspection.holder,
      keyId: inspection.keyId,
      signature: inspection.signature,
    },
  };
}
