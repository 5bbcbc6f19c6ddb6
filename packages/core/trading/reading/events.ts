import type { Environment, EventDelivery, PartnerEvent } from "@sabika/protocol";
import type { Database } from "../../store/database.ts";
import {
  type Listing,
  type ListQuery,
  moment,
  readCursor,
  toPage,
} from "../../store/list_query.ts";
import { eventColumns, eventFromRow, type EventRow } from "../../webhooks/event_rows.ts";

/** How its delivery stands, beside the event itself. */
interface DeliveryRow {
  sequence: bigint;
  delivery_status: EventDelivery["status"];
  delivery_attempts: number;
  next_attempt_ms: bigint | null;
  delivered_ms: bigint | null;
}

// An event behind the partner's cursor that has no row of its own was delivered at once.
const STATUS = `case
  when d.state in ('delivered', 'exhausted') then d.state
  when d.state is null and e.sequence < l.next_sequence then 'delivered'
  else 'pending' end`;

const DELIVERY = `e.sequence, ${STATUS} as delivery_status,
  coalesce(d.attempts, case when e.sequence < l.next_sequence then 1 else 0 end) as delivery_attempts,
  case when d.state in ('delivered', 'exhausted') then null
    when d.next_attempt_at is not null then (extract(epoch from d.next_attempt_at) * 1000)::bigint
    when e.sequence = l.next_sequence and l.disabled_at is null
      then (extract(epoch from l.next_attempt_at) * 1000)::bigint end as next_attempt_ms,
  case when d.state = 'delivered' then (extract(epoch from d.last_attempt_at) * 1000)::bigint end
    as delivered_ms
  from events e left join webhook_lanes l on l.partner_id = e.partner_id
  left join event_deliveries d on d.partner_id = e.partner_id and d.sequence = e.sequence`;

/** One event with its delivery, or undefined when the partner has none of this id. */
export async function getEvent(
  database: Database,
  of: { partnerId: number; eventId: string; environment: Environment },
): Promise<PartnerEvent | undefined> {
  const { sql } = database;
  const [row] = await sql<{ sequence: bigint }[]>`
    select sequence from events
    where partner_id = ${of.partnerId}::integer and event_id = ${of.eventId}::uuid`;
  if (!row) return undefined;
  return (await readEvents(database, of.partnerId, [row.sequence], of.environment))[0];
}

/** Events with their deliveries, newest first; `status` is that of the delivery. */
export async function listEvents(
  database: Database,
  query: ListQuery & { environment: Environment },
): Promise<Listing<PartnerEvent>> {
  const { sql } = database;
  const cursor = readCursor("events", query.cursor);
  if (!cursor.ok) return cursor;
  const { partnerId, createdFromMs, createdToMs, status, idempotencyKey, limit } = query;
  const rows = await sql<{ sequence: bigint }[]>`
    select e.sequence from events e
    left join webhook_lanes l on l.partner_id = e.partner_id
    left join event_deliveries d on d.partner_id = e.partner_id and d.sequence = e.sequence
    where e.partner_id = ${partnerId}::integer
      ${cursor.key === undefined ? sql`` : sql`and e.sequence < ${BigInt(cursor.key)}`}
      ${
    createdFromMs === undefined
      ? sql``
      : sql`and e.created_at >= ${moment(createdFromMs)}::timestamptz`
  }
      ${
    createdToMs === undefined ? sql`` : sql`and e.created_at < ${moment(createdToMs)}::timestamptz`
  }
      ${status === undefined ? sql`` : sql`and ${sql.unsafe(STATUS)} = ${status}`}
      ${
    idempotencyKey === undefined
      ? sql``
      : sql`and e.resource_id = (select k.resource_id from idempotency_keys k
          where k.partner_id = ${partnerId}::integer
            and k.key_hash = short_hash(${idempotencyKey}::text))`
  }
    order by e.sequence desc limit ${limit + 1}::integer`;
  const sequences = rows.map((row) => row.sequence);
  const events = await readEvents(database, partnerId, sequences, query.environment);
  return toPage("events", limit, events, (event) => event, (event) => String(event.sequence));
}

/** The events of these numbers, newest first. */
async function readEvents(
  { sql }: Database,
  partnerId: number,
  sequences: readonly bigint[],
  environment: Environment,
): Promise<PartnerEvent[]> {
  if (sequences.length === 0) return [];
  const numbers = `{${sequences.join(",")}}`;
  const [rows, deliveries] = await Promise.all([
    sql<EventRow[]>`
      select ${eventColumns(sql)}
      where e.partner_id = ${partnerId}::integer and e.sequence = any (${numbers}::bigint[])
      order by e.sequence desc`,
    sql<DeliveryRow[]>`
      select ${sql.unsafe(DELIVERY)}
      where e.partner_id = ${partnerId}::integer and e.sequence = any (${numbers}::bigint[])`,
  ]);
  const deliveryOf = new Map(deliveries.map((row) => [row.sequence, readDelivery(row)]));
  return rows.map((row) => ({
    ...eventFromRow(row, environment),
    delivery: deliveryOf.get(row.sequence)!,
  }));
}

function readDelivery(row: DeliveryRow): EventDelivery {
  return {
    status: row.delivery_status,
    attempts: row.delivery_attempts,
    nextAttemptAtMs: row.next_attempt_ms === null ? null : Number(row.next_attempt_ms),
    deliveredAtMs: row.delivered_ms === null ? null : Number(row.delivered_ms),
  };
}
