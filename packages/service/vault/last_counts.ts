import { formatTime, type ReceiptCount } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";

/** Finds the last count of a pool at a moment, epoch milliseconds; null if there was none. */
export type FindCount = (poolId: string, atMs: number) => ReceiptCount | null;

/**
 * Reads the counts that are the last ones of a pool somewhen in a period, in control: those of all its bars, or of the
 * whole vault (Decision D104). Each names the pool's version that was in force then.
 */
export async function readLastCounts(
  control: AnySql,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<FindCount> {
  const [from, to] = [formatTime(fromMs), formatTime(toMs)];
  const counts = await control<(ReceiptCount & { poolId: string })[]>`
    with whole as (
      select c.*, p.pool_id as of from vault_counts c join pools p on p.pool_id = c.pool_id and c.is_whole
        or c.pool_id is null and c.place is null
    ), starts as (
      select of, max(counted_at) as at from whole where counted_at <= ${from}::timestamptz group by of
    )
    select (extract(epoch from c.counted_at) * 1000)::float8 as "atMs", c.counted_by as by,
      c.of as "poolId", v.version
    from whole c left join starts s on s.of = c.of cross join lateral (
      select max(number) as version from pool_versions where pool_id = c.of and made_at <= c.counted_at) v
    where v.version is not null and c.counted_at <= ${to}::timestamptz
      and c.counted_at >= coalesce(s.at, '-infinity')
    order by c.counted_at, c.count_id`;
  return (poolId, atMs) => {
    const last = counts.findLast((count) => count.poolId === poolId && count.atMs <= atMs);
    return last === undefined ? null : { version: last.version, atMs: last.atMs, by: last.by };
  };
}
