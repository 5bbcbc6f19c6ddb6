import { and, desc, eq, lt, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { acts, operators } from "../audit/people_tables.ts";
import { type ListedBar, type PoolVersion, readListedBars, writeVersion } from "./pool_versions.ts";
import { poolVersionBars, poolVersions } from "./tables.ts";

/** A version of a pool, and who asked for it. */
export interface PoolVersionMade extends PoolVersion {
  /** Null where nobody signs. */
  readonly madeBy: string | null;
  /** How many bars it added, took out or changed. */
  readonly changedBars: number;
}

/** A bar that a version changed; `before` is null if it came, `after` if it left. */
export interface ChangedBar {
  readonly serial: string;
  readonly before: ListedBar | null;
  readonly after: ListedBar | null;
}

/** A version with what it changed, by serial. */
export interface PoolVersionWhole extends PoolVersionMade {
  readonly changes: readonly ChangedBar[];
}

const { versionId, poolId, number, previousHash, kind, hash, fineMicrograms, actId, madeAt } =
  poolVersions;

function selectVersions(sql: AnySql) {
  const db = drizzle(sql);
  const changed = and(
    eq(poolVersionBars.poolId, poolId),
    eq(poolVersionBars.number, number),
  );
  return db.select({
    versionId,
    poolId,
    number,
    previousHash,
    kind,
    hash,
    fineMicrograms,
    actId,
    madeAt,
    madeBy: operators.name,
    changedBars: expression<number>`${db.$count(poolVersionBars, changed)}`.mapWith(Number),
  }).from(poolVersions).leftJoin(acts, eq(acts.actId, actId))
    .leftJoin(operators, eq(operators.operatorId, acts.operatorId)).$dynamic();
}

/** Lists the versions of a pool, the newest first; those before a number, if it is given. */
export async function listVersions(
  sql: AnySql,
  { pool, before, limit }: {
    readonly pool: string;
    readonly before?: number | undefined;
    readonly limit: number;
  },
): Promise<PoolVersionMade[]> {
  return await selectVersions(sql)
    .where(and(eq(poolId, pool), before === undefined ? undefined : lt(number, before)))
    .orderBy(desc(number)).limit(limit);
}

/** Finds a version of a pool, with what it changed; undefined when there is none. */
export async function findVersion(
  sql: AnySql,
  pool: string,
  which: number,
): Promise<PoolVersionWhole | undefined> {
  const [version] = await selectVersions(sql).where(and(eq(poolId, pool), eq(number, which)));
  return version && { ...version, changes: await readChanges(sql, pool, which) };
}

async function readChanges(sql: AnySql, pool: string, which: number): Promise<ChangedBar[]> {
  const db = drizzle(sql);
  const ofPool = eq(poolVersionBars.poolId, pool);
  const changed = await db.select().from(poolVersionBars)
    .where(and(ofPool, eq(poolVersionBars.number, which))).orderBy(poolVersionBars.serial);
  const serials = db.select({ serial: poolVersionBars.serial }).from(poolVersionBars)
    .where(and(ofPool, eq(poolVersionBars.number, which)));
  const last = await db.selectDistinctOn([poolVersionBars.serial]).from(poolVersionBars)
    .where(
      and(
        ofPool,
        lt(poolVersionBars.number, which),
        expression`${poolVersionBars.serial} in ${serials}`,
      ),
    ).orderBy(poolVersionBars.serial, desc(poolVersionBars.number));
  const before = new Map(last.map((bar) => [bar.serial, bar]));
  return changed.map((bar) => ({
    serial: bar.serial,
    before: listed(before.get(bar.serial)),
    after: listed(bar),
  }));
}

function listed(row: typeof poolVersionBars.$inferSelect | undefined): ListedBar | null {
  if (row === undefined || !row.isListed) return null;
  const { poolId: _pool, number: _number, isListed: _, ...bar } = row;
  return bar;
}

/** The canonical JSON of a version, whose SHA-256 is its hash; undefined when there is no such version. */
export async function readVersionText(
  sql: AnySql,
  pool: string,
  which: number,
): Promise<string | undefined> {
  const [version] = await drizzle(sql).select().from(poolVersions)
    .where(and(eq(poolId, pool), eq(number, which)));
  return version && writeVersion(version, await readListedBars(sql, version));
}
