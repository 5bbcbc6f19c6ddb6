import type { AnySql } from "../store/sql.ts";

/**
 * Has an event sent again (Decision D19), exhausted or long delivered; one that still waits in the lane
 * is tried at once instead, in its place. Asking twice is asking once.
 *
 * @param eventId the event's UUID
 * @returns false when the partner has no such event
 */
export async function requestRedelivery(
  sql: AnySql,
  of: { partnerId: number; eventId: string; nowMs: number },
): Promise<boolean> {
  const now = new Date(of.nowMs).toISOString();
  const [row] = await sql<{ sequence: bigint; waiting: boolean }[]>`
    select e.sequence, e.sequence >= l.next_sequence as waiting
    from events e join webhook_lanes l on l.partner_id = e.partner_id
    where e.partner_id = ${of.partnerId} and e.event_id = ${of.eventId}::uuid`;
  if (!row) return false;
  if (row.waiting) {
    await sql`
      update webhook_lanes set next_attempt_at = ${now}::timestamptz
      where partner_id = ${of.partnerId} and next_attempt_at > ${now}::timestamptz`;
    return true;
  }
  await sql`
    insert into event_deliveries (partner_id, sequence, state, attempts, next_attempt_at)
    values (${of.partnerId}, ${row.sequence}, 'requested', 0, ${now}::timestamptz)
    on conflict (partner_id, sequence) do update set state = 'requested', attempts = 0,
      next_attempt_at = excluded.next_attempt_at`;
  return true;
}
