import { toMoment } from "../store/moments.ts";
import type { eventDeliveries } from "../store/schema/webhooks.ts";
import type { AnySql } from "../store/sql.ts";

type DeliveryRow = typeof eventDeliveries.$inferSelect;

/** An attempt that failed, as it is kept. */
export interface FailedAttempt {
  sequence: bigint;
  /** How many have failed, this one included. */
  attempts: number;
  atMs: number;
  status: number | null;
  reason: string;
}

/** Writes down how an event's delivery stands after an attempt that failed. */
export async function recordFailure(
  sql: AnySql,
  partnerId: number,
  failed: FailedAttempt,
  state: "failing" | "exhausted",
  nextAttemptMs: number | null,
): Promise<void> {
  const next = nextAttemptMs === null ? null : toMoment(nextAttemptMs);
  await sql`
    insert into event_deliveries (partner_id, sequence, state, attempts, next_attempt_at,
      last_attempt_at, last_status, last_error)
    values (${partnerId}, ${failed.sequence}, ${state}, ${failed.attempts}, ${next},
      ${toMoment(failed.atMs)}, ${failed.status}, ${failed.reason})
    on conflict (partner_id, sequence) do update set state = excluded.state,
      attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at,
      last_attempt_at = excluded.last_attempt_at, last_status = excluded.last_status,
      last_error = excluded.last_error`;
}

/** Writes down that an event whose delivery had failed, or that was asked for again, is delivered. */
export async function recordDelivery(
  sql: AnySql,
  partnerId: number,
  delivered: { sequence: bigint; atMs: number; status: number },
): Promise<void> {
  await sql`
    update event_deliveries set state = 'delivered', attempts = attempts + 1,
      next_attempt_at = null, last_attempt_at = ${toMoment(delivered.atMs)},
      last_status = ${delivered.status}, last_error = null
    where partner_id = ${partnerId} and sequence = ${delivered.sequence}`;
}

/** Events with a schedule of their own that are due: parked ones, and those asked for again. */
export async function selectDueDeliveries(
  sql: AnySql,
  partnerId: number,
  nowMs: number,
  limit: number,
): Promise<Pick<DeliveryRow, "sequence" | "attempts">[]> {
  return await sql<Pick<DeliveryRow, "sequence" | "attempts">[]>`
    select sequence, attempts from event_deliveries
    where partner_id = ${partnerId} and next_attempt_at <= ${toMoment(nowMs)}
    order by sequence limit ${limit}`;
}

/** Puts off everything due whose endpoint is away; no attempt is counted. */
export async function postponeDue(
  sql: AnySql,
  partnerId: number,
  nowMs: number,
  nextAttemptMs: number,
): Promise<void> {
  await sql`
    update event_deliveries set next_attempt_at = ${toMoment(nextAttemptMs)}
    where partner_id = ${partnerId} and next_attempt_at <= ${toMoment(nowMs)}`;
}
