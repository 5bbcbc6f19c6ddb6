import { formatTime } from "@sabika/protocol";
import type { Sql } from "@sabika/database";

/**
 * Holds a partner's events back until a time, as after a failed attempt. Returns false, and holds nothing
 * back, while a delivery is in flight.
 */
export async function holdEvents(
  sql: Sql,
  partnerId: number,
  nowMs: number,
  untilMs: number,
): Promise<boolean> {
  const { count } = await sql`
    update webhook_lanes set next_attempt_at = greatest(next_attempt_at, ${formatTime(untilMs)})
    where partner_id = ${partnerId}
      and (leased_until is null or leased_until <= ${formatTime(nowMs)})`;
  return count === 1;
}

/** Ends what {@linkcode holdEvents} began. */
export async function releaseEvents(
  sql: Sql,
  partnerId: number,
  nowMs: number,
  heldUntilMs: number,
): Promise<void> {
  await sql`update webhook_lanes set next_attempt_at = ${formatTime(nowMs)}
    where partner_id = ${partnerId} and next_attempt_at = ${formatTime(heldUntilMs)}`;
}

/** The number of the latest event about an order, a withdrawal or a funding. */
export async function findEvent(
  sql: Sql,
  partnerId: number,
  resourceId: string,
): Promise<bigint | undefined> {
  const [row] = await sql<{ sequence: bigint }[]>`
    select sequence from events where partner_id = ${partnerId} and resource_id = ${resourceId}
    order by sequence desc limit 1`;
  return row?.sequence;
}

/** Schedules an event to be delivered at a time, independently of the others. */
export async function deliverAt(
  sql: Sql,
  partnerId: number,
  sequence: bigint,
  atMs: number,
): Promise<void> {
  await sql`
    insert into event_deliveries (partner_id, sequence, state, attempts, next_attempt_at)
    values (${partnerId}, ${sequence}, 'requested', 0, ${formatTime(atMs)})
    on conflict (partner_id, sequence) do update set state = 'requested', attempts = 0,
      next_attempt_at = excluded.next_attempt_at`;
}

/** Moves the cursor past the next event, so that later ones do not wait for it. */
export async function passEvent(sql: Sql, partnerId: number, sequence: bigint): Promise<void> {
  await sql`update webhook_lanes set next_sequence = ${sequence} + 1
    where partner_id = ${partnerId} and next_sequence = ${sequence}`;
}

/** The numbers of a partner's events that its lane has not come to yet, at most a thousand. */
export async function eventsAhead(sql: Sql, partnerId: number): Promise<bigint[]> {
  const rows = await sql<{ sequence: bigint }[]>`
    select e.sequence from webhook_lanes l
    join events e on e.partner_id = l.partner_id and e.sequence >= l.next_sequence
    where l.partner_id = ${partnerId} order by e.sequence limit 1000`;
  return rows.map(({ sequence }) => sequence);
}

/** Whether an event was attempted since {@linkcode deliverAt} scheduled it. */
export async function wasAttempted(
  sql: Sql,
  partnerId: number,
  sequence: bigint,
): Promise<boolean> {
  const { count } = await sql`select from event_deliveries
    where partner_id = ${partnerId} and sequence = ${sequence} and attempts > 0`;
  return count === 1;
}
