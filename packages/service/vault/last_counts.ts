import { formatTime, type ReceiptCount } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { findInspection } from "./find_inspection.ts";

/** Finds the last count of a pool at a moment, epoch milliseconds; null if there was none. */
export type FindCount = (poolId: string, atMs: number) => ReceiptCount | null;

/** A count that was the last one of a pool somewhen. */
type LastCount = ReceiptCount & { readonly poolId: string; readonly countId: string };

/**
 * Reads the counts that are the last ones of a pool somewhen in a period, in control: those of all its bars, or of the
 * whole vault (Decision D104). Each names the pool's version that it counted.
 */
export async function readLastCounts(
  control: AnySql,
  period: { fromMs: number; toMs: number },
): Promise<FindCount> {
  const counts = await readCounts(control, period);
  return (poolId, atMs) => {
    const last = counts.findLast((count) => count.poolId === poolId && count.atMs <= atMs);
    return last === undefined ? null : { version: last.version, atMs: last.atMs, by: last.by };
  };
}

/** Reads the last count of a pool at a moment, epoch milliseconds, in control; undefined if there was none. */
export async function readLastCount(
  control: AnySql,
  poolId: string,
  atMs: number,
): Promise<LastCount | undefined> {
  const counts = await readCounts(control, { fromMs: atMs, toMs: atMs });
  return counts.findLast((count) => count.poolId === poolId);
}

/** The last count of a pool, and who inspected it. */
export interface PoolLastCount {
  readonly poolId: string;
  readonly countId: string;
  readonly countedAtMs: number;
  readonly countedBy: string;
  /** Whose key an inspector signed it with (Decision D106); null while none has. */
  readonly inspectedBy: string | null;
}

/** Lists the last count of each pool at a moment, epoch milliseconds, in control. */
export async function listLastCounts(control: AnySql, atMs: number): Promise<PoolLastCount[]> {
  const counts = await readCounts(control, { fromMs: atMs, toMs: atMs });
  const last = new Map(counts.map((count) => [count.poolId, count]));
  return await Promise.all([...last.values()].map(async ({ poolId, countId, atMs, by }) => ({
    poolId,
    countId,
    countedAtMs: atMs,
    countedBy: by,
    inspectedBy: (await findInspection(control, countId))?.holder ?? null,
  })));
}

/** Those from the last one before the period to its end, oldest first. */
async function readCounts(
  control: AnySql,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<LastCount[]> {
  const [from, to] = [formatTime(fromMs), formatTime(toMs)];
  // A count that names no pool names no version either: it was of those that were in force.
  return await control<LastCount[]>`
    with whole as (
      select c.count_id, c.counted_at, c.counted_by, p.pool_id as of, case when c.pool_id is null then (select max(number)
        from pool_versions where pool_id = p.pool_id and made_at <= c.counted_at) else c.version end as version
      from vault_counts c join pools p on p.pool_id = c.pool_id and c.is_whole or c.pool_id is null and c.place is null
      where c.counted_at <= ${to}::timestamptz
    ), starts as (
      select of, max(counted_at) as at from whole
      where version is not null and counted_at <= ${from}::timestamptz group by of
    )
    select w.count_id as "countId", (extract(epoch from w.counted_at) * 1000)::float8 as "atMs", w.counted_by as by,
      w.of as "poolId", w.version
    from whole w left join starts s on s.of = w.of
    where w.version is not null and w.counted_at >= coalesce(s.at, '-infinity')
    order by w.counted_at, w.count_id`;
}
