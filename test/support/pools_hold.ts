import { assertEquals } from "@std/assert";
import type { Database } from "@sabika/database";

/**
 * Asserts in one snapshot that pools cover what they owe, that totals and lists agree, and that no serial is there twice;
 * `whole` also looks at bars that left long ago.
 */
export async function assertPoolsHold(
  sql: Database["sql"],
  { whole }: { readonly whole: boolean },
): Promise<void> {
  const wrong = await sql.begin("read only", async (tx) => {
    // Compiling this statement takes longer than running it.
    await tx`set local jit = off`;
    return await tx`
    with named as (
      select serial from vault_bars where removed_at is null
      union select serial from pool_version_bars ${
      whole
        ? tx``
        : tx`where (pool_id, number) in (select v.pool_id, number from pools join pool_versions v using (version_id))`
    }
    ), listed as (
      select l.* from pools p, named n, lateral (select * from pool_version_bars b
        where b.pool_id = p.pool_id and b.serial = n.serial order by number desc limit 1) l
    ), owed as (
      select p.pool_id, p.version_id, coalesce(sum(gold_micrograms + allocation_micrograms), 0) as micrograms
      from pools p left join accounts a using (pool_number) group by 1, 2
    ), lying as (
      select pool_id, coalesce(sum(fine_micrograms) filter (where removed_at is null and encumbrance is null), 0)
        as micrograms from pools left join vault_bars using (pool_id) group by 1
    )
    select pool_id, 'owes ' || o.micrograms || ' and has ' || l.micrograms as what
    from owed o join lying l using (pool_id) where o.micrograms > l.micrograms
    union all
    select v.pool_id, 'its totals are others'
    from vault v join owed o using (pool_id) join lying l using (pool_id) left join pool_versions n using (version_id)
    where (allocated_micrograms, bars_micrograms, coalesce(n.fine_micrograms, 0)) <>
        (o.micrograms, l.micrograms, l.micrograms)
      or bars_micrograms <> (select coalesce(sum(fine_micrograms), 0) from listed
        where pool_id = v.pool_id and is_listed)
    union all
    select string_agg(pool_id, ' '), 'both list the serial ' || serial from listed where is_listed
    group by serial having count(*) > 1
    union all
    select string_agg(pool_id, ' '), 'the serial is there twice: ' || serial from vault_bars where removed_at is null
    group by serial having count(*) > 1`;
  });
  assertEquals(wrong.map((row) => ({ ...row })), []);
}
