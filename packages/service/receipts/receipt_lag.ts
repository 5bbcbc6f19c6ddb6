import type { Sql } from "@sabika/database";

/** Reads since when the oldest order of a cell waits for its receipt, epoch milliseconds; undefined when none does. */
export async function readReceiptLag(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ sinceMs: number | null }[]>`
    select (extract(epoch from min(e.created_at)) * 1000)::float8 as "sinceMs"
    from accounts a left join receipt_marks m using (partner_id)
    cross join lateral (select created_at from events e
      where e.partner_id = a.partner_id and e.sequence > coalesce(m.last_event, 0) order by e.sequence limit 1) e
    where a.last_event > coalesce(m.last_event, 0)`;
  return row?.sinceMs ?? undefined;
}
