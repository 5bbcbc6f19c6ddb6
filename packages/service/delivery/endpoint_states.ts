import { formatId, type WebhookEndpoint } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { failureClass } from "./read_attempts.ts";

/** The state of a partner's webhook endpoint. */
export interface EndpointState extends WebhookEndpoint {
  readonly partnerId: number;
  readonly clientId: string;
}

interface Row {
  partnerId: number;
  clientId: string;
  inFlight: number;
  failingMs: number | null;
  disabledMs: number | null;
  disabledReason: string | null;
  pending: number;
  eventId: string | null;
  sequence: number;
  createdMs: number;
  status: number | null;
  failure: string | null;
}

/** The lane's `disabled_reason` when the operator disabled it; otherwise it holds the endpoint's answer. */
export const DISABLED_BY_OPERATOR = "operator";

/**
 * Reads the state of the endpoints of all partners that have one, or of one partner. Every event that
 * is still to be delivered counts as pending.
 */
export async function readEndpointStates(
  sql: AnySql,
  nowMs: number,
  partnerId?: number,
): Promise<EndpointState[]> {
  const rows = await sql<Row[]>`
    select p.partner_id as "partnerId", p.client_id as "clientId", l.in_flight as "inFlight",
      (extract(epoch from l.failing_since) * 1000)::float8 as "failingMs",
      (extract(epoch from l.disabled_at) * 1000)::float8 as "disabledMs",
      l.disabled_reason as "disabledReason",
      (greatest(a.last_event - l.next_sequence + 1, 0) + parked.count)::float8 as pending,
      oldest.event_id as "eventId", oldest.sequence::float8 as sequence,
      (extract(epoch from oldest.created_at) * 1000)::float8 as "createdMs",
      last.status, last.failure
    from partners p
      join webhook_lanes l on l.partner_id = p.partner_id
      join accounts a on a.partner_id = p.partner_id
      cross join lateral (
        select count(*) as count, min(d.sequence) as first from event_deliveries d
        where d.partner_id = p.partner_id and d.state = 'failing' and d.sequence < l.next_sequence
      ) as parked
      left join lateral (
        select e.event_id, e.sequence, e.created_at from events e
        where e.partner_id = p.partner_id
          and e.sequence = coalesce(parked.first, l.next_sequence)
      ) as oldest on true
      left join lateral (
        select w.status, w.failure from webhook_attempts w
        where w.partner_id = p.partner_id and w.sequence = oldest.sequence
          and w.attempted_at >= l.failing_since
        order by w.attempted_at desc limit 1
      ) as last on true
    where p.webhook_url is not null
      and (${partnerId ?? null}::integer is null or p.partner_id = ${partnerId ?? null}::integer)
    order by p.partner_id`;
  return rows.map((row) => stateOf(row, nowMs));
}

function stateOf(row: Row, nowMs: number): EndpointState {
  const { partnerId, clientId, failingMs, disabledMs, disabledReason, createdMs, eventId } = row;
  const isByOperator = disabledReason === DISABLED_BY_OPERATOR;
  const oldest = eventId === null ? null : {
    id: formatId("evt", eventId),
    sequence: row.sequence,
    timestampMs: createdMs,
  };
  return {
    partnerId,
    clientId,
    inFlight: row.inFlight,
    status: disabledMs !== null ? "disabled" : failingMs !== null ? "failing" : "healthy",
    sinceMs: disabledMs ?? failingMs,
    disabledBy: disabledMs === null ? null : isByOperator ? "operator" : "endpoint",
    failure: failureClass(row),
    pendingEvents: row.pending,
    oldestPending: oldest,
    lagSeconds: oldest === null ? 0 : Math.max(0, Math.round(nowMs - createdMs) / 1_000),
  };
}
