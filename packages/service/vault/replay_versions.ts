import { and, asc, between, eq, getTableColumns, max } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { type ListedBar, type PoolVersion, readListedBars } from "./pool_versions.ts";
import { poolVersionBars, poolVersions } from "./tables.ts";

/** A version of a pool with the bars that it lists, as the changes up to it make them. */
export interface ReplayedVersion {
  readonly number: number;
  /** Undefined where bars changed and there is no version of it. */
  readonly version: PoolVersion | undefined;
  readonly bars: readonly ListedBar[];
}

/** So many versions are read at a time. */
const PAGE = 1_000;

/** Replays the changes of a pool: each of its versions, in order, from one on. */
export async function* replayVersions(
  sql: AnySql,
  { poolId, from = 1 }: { readonly poolId: string; readonly from?: number },
): AsyncGenerator<ReplayedVersion> {
  const last = await readLastNumber(sql, poolId);
  const before = await readListedBars(sql, { poolId, number: from - 1 });
  const listed = new Map(before.map((bar) => [bar.serial, bar]));
  for (let first = from; first <= last; first += PAGE) {
    const numbers = { first, last: Math.min(first + PAGE - 1, last) };
    const versions = await readVersions(sql, poolId, numbers);
    const changes = await readChanges(sql, poolId, numbers);
    for (let number = first, next = 0; number <= numbers.last; number++) {
      for (; changes[next]?.number === number; next++) {
        const { number: _, isListed, ...bar } = changes[next]!;
        if (isListed) listed.set(bar.serial, bar);
        else listed.delete(bar.serial);
      }
      yield { number, version: versions.get(number), bars: [...listed.values()] };
    }
  }
}

/** The number of a pool's last version, or of the last change of its bars; 0 before the first. */
export async function readLastNumber(sql: AnySql, poolId: string): Promise<number> {
  const db = drizzle(sql);
  const [made] = await db.select({ number: max(poolVersions.number) }).from(poolVersions)
    .where(eq(poolVersions.poolId, poolId));
  const [changed] = await db.select({ number: max(poolVersionBars.number) }).from(poolVersionBars)
    .where(eq(poolVersionBars.poolId, poolId));
  return Math.max(made?.number ?? 0, changed?.number ?? 0);
}

interface Numbers {
  readonly first: number;
  readonly last: number;
}

async function readVersions(sql: AnySql, poolId: string, { first, last }: Numbers) {
  const found = await drizzle(sql).select().from(poolVersions)
    .where(and(eq(poolVersions.poolId, poolId), between(poolVersions.number, first, last)));
  return new Map(found.map((version) => [version.number, version]));
}

async function readChanges(sql: AnySql, poolId: string, { first, last }: Numbers) {
  const { poolId: _, ...columns } = getTableColumns(poolVersionBars);
  return await drizzle(sql).select(columns).from(poolVersionBars)
    .where(and(eq(poolVersionBars.poolId, poolId), between(poolVersionBars.number, first, last)))
    .orderBy(asc(poolVersionBars.number));
}
