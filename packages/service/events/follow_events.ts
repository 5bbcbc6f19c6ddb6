import type { Environment } from "@sabika/protocol";
import { type Database, plainArray } from "@sabika/database";
import { renderEvent, selectEvents } from "./render_event.ts";

/** Reads the number of each partner's last event, 0 before the first; only partners at home here. */
export async function readLastSequences(
  { sql }: Database,
  partnerIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await sql<{ partner_id: number; last_event: bigint }[]>`
    select partner_id, last_event from accounts
    where partner_id = any (${plainArray(partnerIds)}::integer[])`;
  return new Map(rows.map((row) => [row.partner_id, Number(row.last_event)]));
}

/** An event as it is delivered. */
export interface DeliveredEvent {
  readonly sequence: number;
  /** The body of its webhook. */
  readonly json: string;
}

/** Reads the events after a number as they are delivered, oldest first. */
export async function readEventsAfter(
  { sql }: Database,
  { partnerId, afterSequence, limit, environment }: {
    partnerId: number;
    afterSequence: number;
    limit: number;
    environment: Environment;
  },
): Promise<DeliveredEvent[]> {
  const fromSequence = BigInt(afterSequence + 1);
  const rows = await selectEvents(sql, { partnerId, fromSequence, limit });
  return rows.map((row) => ({
    sequence: Number(row.event.sequence),
    json: renderEvent(row, environment),
  }));
}
