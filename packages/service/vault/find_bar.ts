import { eq, getTableColumns, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import type { BarInVault } from "./bars.ts";
import type { CountLine } from "./counts.ts";
import { type PoolVersion } from "./pool_versions.ts";
import { poolVersionBars, poolVersions, vaultBars } from "./tables.ts";

/** A version that changed a bar: how it is listed from then on, or that it is not any more. */
export interface BarChange {
  readonly poolId: string;
  readonly number: number;
  readonly kind: PoolVersion["kind"];
  readonly madeAtMs: number;
  readonly isListed: boolean;
  readonly vault: string | null;
  readonly place: string | null;
  readonly documents: readonly string[];
}

/** A count that had a bar on its list, or met it unexpectedly. */
export interface BarCounted extends Pick<CountLine, "finding" | "weighedMicrograms"> {
  readonly countId: string;
  readonly countedAtMs: number;
}

/** A bar, and what became of it. */
export interface BarWhole extends BarInVault {
  /** Null while it is in the vault. */
  readonly removedAtMs: number | null;
  /** The newest first. */
  readonly changes: readonly BarChange[];
  /** Those of the last counts, the newest first. */
  readonly counts: readonly BarCounted[];
}

/** How many counts are looked through: lines have no index by serial. */
const LAST_COUNTS = 100;

/** Finds a bar by its serial, also one that has left; undefined when there never was one. */
export async function findBar(sql: AnySql, serial: string): Promise<BarWhole | undefined> {
  const db = drizzle(sql);
  const [row] = await db.select().from(vaultBars).where(eq(vaultBars.serial, serial));
  if (row === undefined) return undefined;
  const { addedAt, removedAt, ...bar } = row;
  const { isListed, vault, place, documents } = getTableColumns(poolVersionBars);
  const [changes, counts] = await Promise.all([
    db.select({
      poolId: poolVersions.poolId,
      number: poolVersions.number,
      kind: poolVersions.kind,
      madeAtMs: poolVersions.madeAt,
      isListed,
      vault,
      place,
      documents,
    }).from(poolVersionBars).innerJoin(
      poolVersions,
      expression`${poolVersions.poolId} = ${poolVersionBars.poolId}
        and ${poolVersions.number} = ${poolVersionBars.number}`,
    ).where(
      // By the primary key, which begins with the pool.
      expression`${poolVersionBars.poolId} in (select pool_id from pools)
        and ${poolVersionBars.serial} = ${serial}`,
    ).orderBy(expression`${poolVersions.madeAt} desc, ${poolVersions.versionId} desc`),
    sql<BarCounted[]>`
      select l.finding, l.weighed_micrograms as "weighedMicrograms", c.count_id as "countId",
        (extract(epoch from c.counted_at) * 1000)::float8 as "countedAtMs"
      from (select * from vault_counts order by counted_at desc limit ${LAST_COUNTS}) c
      join vault_count_lines l on l.count_id = c.count_id and l.serial = ${serial}
      order by c.counted_at desc`,
  ]);
  return { ...bar, addedAtMs: addedAt, removedAtMs: removedAt, changes, counts };
}
