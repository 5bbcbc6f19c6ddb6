import { refuse } from "@sabika/protocol";
import { and, eq, isNotNull, isNull, sql as expression } from "drizzle-orm";
import { drizzle, textArray, type Transaction } from "@sabika/database";
import type { ActName, AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { type AuditDetail, writeAudit } from "../audit/audit.ts";
import { type Bar, checkBar, type NewBar } from "./bars.ts";
import { lockVault } from "./lock_vault.ts";
import { makeVersion, type PoolVersion } from "./pool_versions.ts";
import { checkRefiners } from "./refiners.ts";
import { pools, vaultBars } from "./tables.ts";

/** Bars that an act has changed, and the version of their pool that it made. */
export interface Changed {
  readonly bars: readonly Bar[];
  /** Undefined if the list is as it was: the bars are encumbered. */
  readonly version: PoolVersion | undefined;
}

/** The condition of bars that are in the vault, by their serials. */
export const inVault = (serials: readonly string[]) =>
  and(
    expression`${vaultBars.serial} = any(${textArray(serials)}::text[])`,
    isNull(vaultBars.removedAt),
  );

/** Locks a bar of the vault; undefined when there is none. */
export async function lockBar(sql: Transaction, serial: string): Promise<Bar | undefined> {
  await lockVault(sql);
  const [bar] = await drizzle(sql).select().from(vaultBars).where(inVault([serial]))
    .for("no key update");
  return bar;
}

/** Changes a bar of the vault. */
export const changeBar = (sql: Transaction, serial: string, change: Partial<Bar>): Promise<Bar[]> =>
  drizzle(sql).update(vaultBars).set(change).where(inVault([serial])).returning();

/** Records bars that arrived in a pool; one that was there before may come back. */
export async function enterBars(
  sql: Transaction,
  admin: AdminContext,
  poolId: string,
  bars: readonly NewBar[],
): Promise<AdminOutcome<Bar[]>> {
  for (const bar of bars) {
    const wrong = checkBar(bar);
    if (wrong !== undefined) return refuse("invalid_amount", wrong);
  }
  const serials = bars.map(({ serial }) => serial);
  const refusal = refuseList(serials);
  if (refusal !== undefined) return refusal;
  await lockVault(sql);
  const db = drizzle(sql);
  const [pool] = await db.select().from(pools).where(eq(pools.poolId, poolId));
  if (pool === undefined) return refuse("not_found", `there is no pool "${poolId}"`);
  const unlisted = (await checkRefiners(sql, bars)).find((detail) => detail !== undefined);
  if (unlisted !== undefined) return refuse("refiner_unlisted", unlisted);
  const rows = bars.map((bar) => ({
    poolId,
    serial: bar.serial,
    refiner: bar.refiner,
    finenessTenThousandths: bar.finenessTenThousandths,
    weightMicrograms: bar.weightMicrograms,
    addedAt: admin.now(),
    removedAt: null,
    vault: bar.vault ?? null,
    place: bar.place ?? null,
    document: bar.document ?? null,
    documents: [...new Set(bar.documents)].sort(),
    encumbrance: null,
    encumbranceDocument: null,
    year: bar.year ?? null,
  }));
  const entered: Bar[] = [];
  for (const row of rows) {
    const [bar] = await db.insert(vaultBars).values(row).onConflictDoUpdate({
      target: vaultBars.serial,
      set: row,
      setWhere: isNotNull(vaultBars.removedAt),
    }).returning();
    if (bar === undefined) {
      return refuse("already_exists", `the bar ${row.serial} is in the vault already`);
    }
    entered.push(bar);
  }
  return { ok: true, value: entered };
}

/** Records that bars left the vault. */
export async function takeBars(
  sql: Transaction,
  admin: AdminContext,
  serials: readonly string[],
): Promise<AdminOutcome<Bar[]>> {
  const refusal = refuseList(serials);
  if (refusal !== undefined) return refusal;
  await lockVault(sql);
  const bars = await drizzle(sql).update(vaultBars).set({ removedAt: admin.now() })
    .where(inVault(serials)).returning();
  const missing = serials.find((serial) => !bars.some((bar) => bar.serial === serial));
  return missing === undefined ? { ok: true, value: bars } : noSuchBar(missing);
}

/** The most bars that an act changes: it takes a second or two, in which nobody else changes the pool. */
export const MOST_BARS = 1_000;

function refuseList(serials: readonly string[]): AdminRefusal | undefined {
  if (serials.length === 0 || serials.length > MOST_BARS) {
    return refuse("invalid_amount", `1 to ${MOST_BARS} bars at once`);
  }
  const twice = serials.find((serial, at) => serials.indexOf(serial) !== at);
  if (twice === undefined) return undefined;
  return refuse("invalid_amount", `the bar ${twice} is there twice`);
}

/** Whether a bar of the vault counts. */
export const isCounted = ({ encumbrance }: Bar): boolean => encumbrance === null;

/** Why a bar that is encumbered is not replaced. */
export const NOT_RELEASED = "a bar that is encumbered is released first";

/** The refusal of a bar that is not in the vault. */
export const noSuchBar = (serial: string) =>
  refuse("not_found", `there is no bar ${serial} in the vault`);

/**
 * Makes the pool's version and writes the act's entry.
 *
 * @param kind undefined if the pool's list is as it was
 */
export async function finish(
  sql: Transaction,
  admin: AdminContext,
  action: ActName,
  kind: PoolVersion["kind"] | undefined,
  bars: readonly Bar[],
  detail: AuditDetail,
): Promise<AdminOutcome<Changed>> {
  const [{ poolId, serial }] = bars as [Bar];
  const version = kind && await makeVersion(sql, admin, poolId, kind);
  if (kind !== undefined && version === undefined) {
    const what = `the bar ${serial} backs allocated gold: release allocations first`;
    return refuse("insufficient_vault", what);
  }
  await writeAudit(sql, admin, action, null, {
    ...detail,
    pool: poolId,
    ...version !== undefined && { version: version.number, hash: version.hash },
  });
  return { ok: true, value: { bars, version } };
}

/** The outcome of an act on one bar. */
export async function one(outcome: Promise<AdminOutcome<Changed>>): Promise<AdminOutcome<Bar>> {
  const changed = await outcome;
  return changed.ok ? { ok: true, value: changed.value.bars[0]! } : changed;
}
