import type { AnySql } from "../store/sql.ts";

/** How far webhook delivery is behind, over all partners. */
export type OutboxBacklog = Awaited<ReturnType<typeof readOutboxBacklog>>;

/** Reads how many events wait for delivery, how long the oldest has, and how many endpoints are disabled. */
export async function readOutboxBacklog(sql: AnySql) {
  const [row] = await sql<{ pending: number; lag: number; disabled: number }[]>`
    select coalesce(sum(a.last_event - l.next_sequence + 1), 0)::float8 as pending,
      coalesce(max(extract(epoch from clock_timestamp() - e.created_at)), 0)::float8 as lag,
      (select count(*)::int from webhook_lanes where disabled_at is not null) as disabled
    from webhook_lanes l
      join partners p on p.partner_id = l.partner_id
      join accounts a on a.partner_id = l.partner_id
      left join events e on e.partner_id = l.partner_id and e.sequence = l.next_sequence
    where p.webhook_url is not null and l.disabled_at is null
      and l.next_sequence <= a.last_event`;
  const { pending, lag, disabled } = row!;
  return {
    /** Events not yet delivered to endpoints that are enabled. */
    pendingEvents: pending,
    /** Age of the oldest of them, 0 when there is none. */
    lagSeconds: Math.max(0, lag),
    /** Endpoints that answered 410, or were given up, and wait for the operator. */
    disabledEndpoints: disabled,
  };
}
