import { formatTime } from "@sabika/protocol";
import type { AnySql } from "../store/sql.ts";

/**
 * Has an event sent again (Decision D19), exhausted or long delivered; one that still waits in the
 * lane is tried at once instead, in its place. Asking twice is asking once.
 *
 * @param of.eventId the event's UUID
 * @returns false when the partner has no such event
 */
export async function requestRedelivery(
  connection: AnySql,
  { partnerId, eventId, nowMs }: { partnerId: number; eventId: string; nowMs: number },
): Promise<boolean> {
  const rows = await connection`
    select redeliver_events(partner_id, sequence, sequence, ${formatTime(nowMs)}::timestamptz)
    from events where partner_id = ${partnerId}::integer and event_id = ${eventId}::uuid`;
  return rows.length > 0;
}
