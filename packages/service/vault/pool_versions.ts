import { poolVersionHash, writePoolVersion } from "@sabika/protocol";
import { eq, getTableColumns, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle, type Transaction } from "@sabika/database";
import type { AdminContext } from "../audit/admin_context.ts";
import { actIdOf } from "../audit/warrant.ts";
import { sumFine } from "./bars.ts";
import { pools, poolVersionBars, poolVersions, vault } from "./tables.ts";

/** The pool that every deployment begins with. */
export const MAIN_POOL = "main";

/** A version of a pool (Decision D102). */
export type PoolVersion = typeof poolVersions.$inferSelect;

/** A bar as a version lists it. */
export type ListedBar = Omit<
  typeof poolVersionBars.$inferSelect,
  "poolId" | "number" | "isListed"
>;

/**
 * Writes the canonical JSON of a version, whose SHA-256 is its hash.
 */
export function writeVersion(
  version: Pick<PoolVersion, "poolId" | "number" | "previousHash" | "kind">,
  bars: readonly ListedBar[],
): string {
  const { poolId: pool, number, previousHash: previous, kind } = version;
  return writePoolVersion({
    pool,
    number,
    previous,
    kind,
    bars: bars.map(({ weightMicrograms, ...bar }) => ({
      ...bar,
      grossMicrograms: weightMicrograms,
    })),
  });
}

/** Reads the bars that a version lists, in the order of its canonical JSON. */
export async function readListedBars(
  sql: AnySql,
  { poolId, number }: Pick<PoolVersion, "poolId" | "number">,
): Promise<ListedBar[]> {
  const db = drizzle(sql);
  const { poolId: _pool, number: _number, isListed, ...columns } = getTableColumns(poolVersionBars);
  const last = db.selectDistinctOn([poolVersionBars.serial], { ...columns, isListed })
    .from(poolVersionBars)
    .where(expression`pool_id = ${poolId} and number <= ${number}::integer`)
    .orderBy(poolVersionBars.serial, expression`number desc`).as("last");
  const rows = await db.select().from(last).where(eq(last.isListed, true))
    .orderBy(expression`refiner collate "C"`, expression`serial collate "C"`);
  return rows.map(({ isListed: _, ...bar }) => bar);
}

/** Reads the version of a pool that is in force; undefined before its first bar. */
export async function readVersionInForce(
  sql: AnySql,
  poolId: string,
): Promise<PoolVersion | undefined> {
  const [version] = await drizzle(sql).select(getTableColumns(poolVersions)).from(pools)
    .innerJoin(poolVersions, eq(poolVersions.versionId, pools.versionId))
    .where(eq(pools.poolId, poolId));
  return version;
}

/**
 * Makes the version to which the bars lead that this transaction has changed; from its commit it is in force.
 *
 * @returns undefined, and makes none, if the pool would no longer cover what is allocated from it
 */
export async function makeVersion(
  sql: Transaction,
  admin: Pick<AdminContext, "warrant">,
  poolId: string,
  kind: PoolVersion["kind"],
): Promise<PoolVersion | undefined> {
  const db = drizzle(sql);
  const [totals] = await db.select().from(vault).where(eq(vault.poolId, poolId)).for(
    "no key update",
  );
  const before = await readVersionInForce(sql, poolId);
  const next = {
    poolId,
    number: (before?.number ?? 0) + 1,
    previousHash: before?.hash ?? null,
    kind,
  };
  const bars = await readListedBars(sql, next);
  const fineMicrograms = sumFine(bars);
  if (fineMicrograms < totals!.allocatedMicrograms) return undefined;
  const actId = actIdOf(admin);
  const hash = await poolVersionHash(writeVersion(next, bars));
  const [version] = await db.insert(poolVersions).values({ ...next, hash, fineMicrograms, actId })
    .returning();
  return version!;
}
