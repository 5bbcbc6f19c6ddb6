import { formatTime, type ReceiptCount } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";

/** Finds the last count of a pool at a moment, epoch milliseconds; null if there was none. */
export type FindCount = (poolId: string, atMs: number) => ReceiptCount | null;

/**
 * Reads the counts of the whole vault that are the last ones somewhen in a period, in control. A count names the
 * version of each pool that was in force then.
 */
export async function readLastCounts(
  control: AnySql,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<FindCount> {
  const [from, to] = [formatTime(fromMs), formatTime(toMs)];
  const counts = await control<(ReceiptCount & { poolId: string })[]>`
    select (extract(epoch from c.counted_at) * 1000)::float8 as "atMs", c.counted_by as by,
      v.pool_id as "poolId", max(v.number) as version
    from vault_counts c join pool_versions v on v.made_at <= c.counted_at
    where c.place is null and c.counted_at <= ${to}::timestamptz and c.counted_at >= coalesce(
      (select max(counted_at) from vault_counts where place is null and counted_at <= ${from}::timestamptz), '-infinity')
    group by c.count_id, v.pool_id order by c.counted_at, c.count_id`;
  return (poolId, atMs) => {
    const last = counts.findLast((count) => count.poolId === poolId && count.atMs <= atMs);
    return last === undefined ? null : { version: last.version, atMs: last.atMs, by: last.by };
  };
}
