import { formatTime } from "@sabika/protocol";
import type { Sql } from "../store/database.ts";
import type { webhookLanes } from "../store/schema/webhooks.ts";
import type { AnySql } from "../store/sql.ts";
import { type FailedAttempt, recordFailure } from "./event_deliveries.ts";

type LaneRow = typeof webhookLanes.$inferSelect;

/**
 * A lane that this worker delivers for, until the lease ends. The cursor `nextSequence` is the next
 * event in sequence; `attempts` at it have failed so far.
 */
export interface LeasedLane
  extends Pick<LaneRow, "partnerId" | "nextSequence" | "attempts" | "inFlight"> {
  url: string;
  /** Whether the cursor's own event may be tried now, beside those with a schedule of their own. */
  cursorDue: boolean;
  /** Whether one with a schedule of its own is due. */
  hasScheduled: boolean;
  /** The lease, and the fence: a worker that has lost it changes nothing any more. */
  leasedUntilMs: number;
}

/**
 * Leases lanes that have something due. Two workers never get the same one (SKIP LOCKED), and the
 * lanes of a worker that dies are free again at the end of the lease.
 */
export async function leaseLanes(
  sql: Sql,
  nowMs: number,
  untilMs: number,
  limit: number,
): Promise<LeasedLane[]> {
  const now = formatTime(nowMs);
  const rows = await sql<Omit<LeasedLane, "leasedUntilMs">[]>`
    with scheduled as (
      select distinct partner_id from event_deliveries where next_attempt_at <= ${now}
    ), due as (
      select l.partner_id, p.webhook_url,
        l.partner_id in (select partner_id from scheduled) as has_scheduled
      from webhook_lanes l
      join partners p on p.partner_id = l.partner_id and p.webhook_url is not null
      join accounts a on a.partner_id = l.partner_id
      where l.disabled_at is null
        and (l.leased_until is null or l.leased_until <= ${now})
        and ((l.next_attempt_at <= ${now} and a.last_event >= l.next_sequence)
          or l.partner_id in (select partner_id from scheduled))
      order by l.next_attempt_at
      limit ${limit}
      for update of l skip locked
    )
    update webhook_lanes l set leased_until = ${formatTime(untilMs)}
    from due where l.partner_id = due.partner_id
    returning l.partner_id as "partnerId", due.webhook_url as url,
      l.next_sequence as "nextSequence", l.attempts, l.in_flight as "inFlight",
      l.next_attempt_at <= ${now} as "cursorDue", due.has_scheduled as "hasScheduled"`;
  return rows.map((row) => ({ ...row, leasedUntilMs: untilMs }));
}

/** The lane as long as the lease is ours. */
function leased(sql: AnySql, lane: LeasedLane) {
  return sql`partner_id = ${lane.partnerId} and leased_until = ${formatTime(lane.leasedUntilMs)}`;
}

/** Prolongs the lease. False when it is not ours any more. */
export async function renewLease(sql: Sql, lane: LeasedLane, untilMs: number): Promise<boolean> {
  const { count } = await sql`
    update webhook_lanes set leased_until = ${formatTime(untilMs)} where ${leased(sql, lane)}`;
  if (count === 1) lane.leasedUntilMs = untilMs;
  return count === 1;
}

/** Ends the lease. */
export async function releaseLane(sql: Sql, lane: LeasedLane): Promise<void> {
  await sql`update webhook_lanes set leased_until = null where ${leased(sql, lane)}`;
}

/**
 * Moves the cursor behind what was delivered. Written without waiting for the disk: what a crash
 * loses of it is delivered again, under the same id.
 *
 * @returns false when the lease is lost
 */
export async function advanceCursor(sql: Sql, lane: LeasedLane, next: bigint): Promise<boolean> {
  const { count } = await sql`
    update webhook_lanes set next_sequence = ${next}, attempts = 0
    from (select set_config('synchronous_commit', 'off', true)) as commit(setting)
    where commit.setting = 'off' and ${leased(sql, lane)}`;
  if (count === 1) Object.assign(lane, { nextSequence: next, attempts: 0 });
  return count === 1;
}

/** Keeps the lane at its event, to be tried again later; ends the lease. */
export async function holdLane(
  sql: Sql,
  lane: LeasedLane,
  failed: FailedAttempt,
  nextAttemptMs: number,
): Promise<void> {
  await sql.begin(async (tx) => {
    const { count } = await tx`
      update webhook_lanes set leased_until = null, attempts = ${failed.attempts},
        next_attempt_at = ${formatTime(nextAttemptMs)}
      where ${leased(tx, lane)}`;
    // The lane has the time of the next attempt.
    if (count === 1) await recordFailure(tx, lane.partnerId, failed, "failing", null);
  });
}

/**
 * Moves the cursor past an event that was not delivered: it is parked with a schedule of its own, or
 * exhausted when no attempt is left.
 *
 * @returns false when the lease is lost
 */
export async function skipEvent(
  sql: Sql,
  lane: LeasedLane,
  failed: FailedAttempt,
  nextAttemptMs: number | null,
): Promise<boolean> {
  const next = failed.sequence + 1n;
  const isSkipped = await sql.begin(async (tx) => {
    const { count } = await tx`
      update webhook_lanes set next_sequence = ${next}, attempts = 0,
        next_attempt_at = ${formatTime(failed.atMs)}
      where ${leased(tx, lane)}`;
    if (count === 0) return false;
    const state = nextAttemptMs === null ? "exhausted" : "failing";
    await recordFailure(tx, lane.partnerId, failed, state, nextAttemptMs);
    return true;
  });
  if (isSkipped) Object.assign(lane, { nextSequence: next, attempts: 0 });
  return isSkipped;
}

/** Stops all delivery to an endpoint that said it is gone (410), until it is enabled again. */
export async function disableLane(
  sql: Sql,
  lane: LeasedLane,
  failed: FailedAttempt,
): Promise<void> {
  await sql`
    update webhook_lanes set disabled_at = ${formatTime(failed.atMs)},
      disabled_reason = ${failed.reason}, leased_until = null
    where ${leased(sql, lane)}`;
}

/**
 * Opens a lane (again), because an endpoint was registered or changed: what waits is tried at once.
 *
 * @param skipOlder leaves out the events from before, for a partner that had no endpoint so far
 * @param inFlight deliveries at once from now on
 */
export async function enableWebhookLane(
  sql: AnySql,
  partnerId: number,
  nowMs: number,
  { skipOlder = false, inFlight }: { skipOlder?: boolean; inFlight?: number | undefined } = {},
): Promise<void> {
  await sql`
    update webhook_lanes l set disabled_at = null, disabled_reason = null, attempts = 0,
      in_flight = coalesce(${inFlight ?? null}, l.in_flight),
      next_attempt_at = ${formatTime(nowMs)}, leased_until = null,
      next_sequence = case when ${skipOlder} then a.last_event + 1 else l.next_sequence end
    from accounts a where a.partner_id = l.partner_id and l.partner_id = ${partnerId}`;
}
