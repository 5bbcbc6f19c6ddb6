import type { Sql } from "@sabika/database";

/** Writes `each` events for each of these partners, in one statement. */
export async function fillOutbox(
  sql: Sql,
  partnerIds: readonly number[],
  each: number,
): Promise<void> {
  await sql`
    with grown as (
      update accounts set last_event = last_event + ${each}
      where partner_id = any(${`{${partnerIds.join()}}`}::integer[])
      returning partner_id, last_event
    )
    insert into events (partner_id, sequence, event_id, created_at, type, object)
    select partner_id, last_event - n, gen_random_uuid(), clock_timestamp(), 'ping', '{"n":1}'
    from grown, generate_series(${each} - 1, 0, -1) as n`;
}

/** Counts the events of all partners that wait for delivery. */
export async function readPending(sql: Sql): Promise<number> {
  const [row] = await sql<{ pending: number }[]>`
    select sum(a.last_event - l.next_sequence + 1)::float8 as pending
    from webhook_lanes l join accounts a using (partner_id)`;
  return row!.pending;
}

/** Skips all events so far: they will not be delivered. */
export async function skipOutbox(sql: Sql): Promise<void> {
  await sql`update event_deliveries set next_attempt_at = null where next_attempt_at is not null`;
  await sql`
    update webhook_lanes l set next_sequence = a.last_event + 1, attempts = 0,
      leased_until = null, leased_by = null, next_attempt_at = now()
    from accounts a where a.partner_id = l.partner_id`;
}

/** Sets the endpoint of all partners, null for none; earlier events are not delivered. */
export async function setEndpoints(sql: Sql, url: string | null): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`update register_state set revision = revision + 1`;
    await sql`
      update partners set webhook_url = ${url}, revision = (select revision from register_state)`;
  });
  await skipOutbox(sql);
}
