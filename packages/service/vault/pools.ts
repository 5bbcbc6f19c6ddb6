import { refuse } from "@sabika/protocol";
import { and, eq, isNull, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { partners } from "../partners/tables.ts";
import { pools, poolVersions, vault, vaultBars } from "./tables.ts";

/** A set of bars that partners draw on (Decision D102). */
export type Pool = typeof pools.$inferSelect;

/** Whether a text can be the id of a pool. */
export const isPoolId = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,31}$/.test(text);

/** Makes a pool, without bars. */
export function createPool(admin: AdminContext, poolId: string): Promise<AdminOutcome<Pool>> {
  return inTransaction<Pool>(admin, async (sql) => {
    if (!isPoolId(poolId)) {
      return refuse("invalid_setting", "a pool has 1 to 32 small letters, digits and -");
    }
    // The database numbers it.
    const [pool] = await drizzle(sql).insert(pools).values({ poolId, poolNumber: 0 })
      .onConflictDoNothing({ target: pools.poolId }).returning();
    if (pool === undefined) return refuse("already_exists", `there is a pool "${poolId}"`);
    await writeAudit(sql, admin, "pool.create", null, { pool: poolId });
    return { ok: true, value: pool };
  });
}

/** Finds a pool by its id, in control; undefined when there is none. */
export async function findPool(sql: AnySql, poolId: string): Promise<Pool | undefined> {
  const [pool] = await drizzle(sql).select().from(pools).where(eq(pools.poolId, poolId));
  return pool;
}

/** Reads the id of the pool that a partner draws on, in control. */
export async function readPoolOf(sql: AnySql, partnerId: number): Promise<string> {
  const [row] = await drizzle(sql).select({ poolId: pools.poolId }).from(partners)
    .innerJoin(pools, eq(pools.poolNumber, expression`coalesce(${partners.poolNumber}, 1)`))
    .where(eq(partners.partnerId, partnerId));
  if (row === undefined) throw new Error(`partner ${partnerId} draws on no pool`);
  return row.poolId;
}

/** A pool, with its version in force. */
export interface PoolInForce {
  readonly poolId: string;
  /** Its number; null before the first bar, as are hash and time. */
  readonly version: number | null;
  readonly hash: string | null;
  readonly madeAtMs: number | null;
  /** Those that count. */
  readonly bars: number;
  readonly fineMicrograms: bigint;
  /** Allocated to nobody. */
  readonly freeMicrograms: bigint;
}

/** Lists the pools in the order in which they were made, in control. */
export async function listPools(sql: AnySql): Promise<PoolInForce[]> {
  const db = drizzle(sql);
  const counted = and(
    eq(vaultBars.poolId, pools.poolId),
    isNull(vaultBars.removedAt),
    isNull(vaultBars.encumbrance),
  );
  const rows = await db.select({
    poolId: pools.poolId,
    version: poolVersions.number,
    hash: poolVersions.hash,
    madeAtMs: poolVersions.madeAt,
    bars: expression<number>`${db.$count(vaultBars, counted)}`.mapWith(Number),
    fineMicrograms: vault.barsMicrograms,
    allocatedMicrograms: vault.allocatedMicrograms,
  }).from(pools).innerJoin(vault, eq(vault.poolId, pools.poolId))
    .leftJoin(poolVersions, eq(poolVersions.versionId, pools.versionId)).orderBy(pools.poolNumber);
  return rows.map(({ allocatedMicrograms, ...pool }) => ({
    ...pool,
    freeMicrograms: pool.fineMicrograms - allocatedMicrograms,
  }));
}
