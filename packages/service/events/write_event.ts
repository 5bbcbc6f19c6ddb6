import { type EventType, uuidV7 } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";

/** An event that no order, funding or withdrawal writes by itself. */
export interface NewEvent {
  partnerId: number;
  type: EventType;
  /** The event's `data.object` as JSON text. */
  objectJson: string;
  /** The UUID of what it is about, if that has one. */
  resourceId?: string | null;
  nowMs: number;
  random: (length: number) => Uint8Array;
}

/**
 * Writes an event to the outbox, numbered after the partner's last one, as part of the caller's
 * transaction: it exists exactly when its subject does (Decision D35). The numbering takes the
 * partner's `accounts` row. Its time is the database's, as that of other events, so that times rise with
 * numbers.
 *
 * @param sql a transaction, or the pool for a statement by itself
 * @returns the event's UUID and its sequence number
 */
export async function writeEvent(
  sql: AnySql,
  event: NewEvent,
): Promise<{ eventId: string; sequence: bigint }> {
  const eventId = uuidV7(event.nowMs, event.random);
  const [row] = await sql<{ sequence: bigint }[]>`
    select write_event(${event.partnerId}::integer, ${eventId}::uuid, ${event.type},
      ${event.resourceId ?? null}::uuid, date_trunc('milliseconds', clock_timestamp()),
      ${event.objectJson}) as sequence`;
  return { eventId, sequence: row!.sequence };
}
