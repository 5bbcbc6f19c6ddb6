import { formatTime } from "@sabika/protocol";
import { type AnySql, plainArray, type Sql } from "@sabika/database";
import { type FailedAttempt, recordFailure } from "./event_deliveries.ts";
import type { webhookLanes } from "./tables.ts";

type LaneRow = typeof webhookLanes.$inferSelect;

/**
 * A lane that this worker delivers for, as long as it renews the lease. The cursor `nextSequence` is
 * the next event in sequence, at which `attempts` have failed so far.
 */
export interface LeasedLane
  extends Pick<LaneRow, "partnerId" | "nextSequence" | "attempts" | "inFlight"> {
  url: string;
  /** Whether the event at the cursor is due. */
  cursorDue: boolean;
  /** Whether an event with its own schedule is due. */
  hasScheduled: boolean;
  /** The worker that leases it, and the fence: a worker that lost the lease changes nothing. */
  owner: string;
  leasedUntilMs: number;
  /** The first event that is not settled, while the cursor in the database is behind it. */
  settledTo?: bigint;
}

/**
 * Leases lanes that have something due, those first that have waited longest. Two workers never get
 * the same lane (SKIP LOCKED), and the lanes of a worker that dies are free when the lease ends.
 *
 * @param by `owner`: the worker's id; `except`: partners whose lanes it has already
 */
export async function leaseLanes(
  sql: Sql,
  by: { owner: string; nowMs: number; untilMs: number; except: number[]; limit: number },
): Promise<LeasedLane[]> {
  const { owner, untilMs, except, limit } = by;
  const now = formatTime(by.nowMs);
  const rows = await sql<Omit<LeasedLane, "owner" | "leasedUntilMs">[]>`
    with recursive waiting as (
      -- From partner to partner by the index: however much waits for one, it reads a row.
      select min(partner_id) as partner_id from event_deliveries where next_attempt_at is not null
      union all
      select (select min(d.partner_id) from event_deliveries d
        where d.next_attempt_at is not null and d.partner_id > w.partner_id)
      from waiting w where w.partner_id is not null
    ), scheduled as (
      select partner_id from waiting w where ${now} >= (
        select min(d.next_attempt_at) from event_deliveries d where d.partner_id = w.partner_id)
    ), due as (
      select l.partner_id, p.webhook_url,
        l.partner_id in (select partner_id from scheduled) as has_scheduled
      from webhook_lanes l
      join partners p on p.partner_id = l.partner_id and p.webhook_url is not null
      join accounts a on a.partner_id = l.partner_id
      where l.disabled_at is null and l.partner_id <> all(${plainArray(except)}::integer[])
        and (l.leased_until is null or l.leased_until <= ${now})
        and ((l.next_attempt_at <= ${now} and a.last_event >= l.next_sequence)
          or l.partner_id in (select partner_id from scheduled))
      order by l.next_attempt_at
      limit ${limit}
      for update of l skip locked
    )
    update webhook_lanes l set leased_until = ${formatTime(untilMs)}, leased_by = ${owner}
    from due where l.partner_id = due.partner_id
    returning l.partner_id as "partnerId", due.webhook_url as url,
      l.next_sequence as "nextSequence", l.attempts, l.in_flight as "inFlight",
      l.next_attempt_at <= ${now} as "cursorDue", due.has_scheduled as "hasScheduled"`;
  return rows.map((row) => ({ ...row, owner, leasedUntilMs: untilMs }));
}

/**
 * Matches the lane while the lease is ours and the cursor is where we last wrote it: a database that
 * lost that write in a crash may have lost an event's schedule with it.
 */
function leased(sql: AnySql, { partnerId, owner, nextSequence }: LeasedLane) {
  return sql`
    partner_id = ${partnerId} and leased_by = ${owner} and next_sequence = ${nextSequence}`;
}

/** Renews the leases of one owner; a lane that was lost gets `leasedUntilMs` -Infinity. */
export async function renewLeases(sql: Sql, lanes: LeasedLane[], untilMs: number): Promise<void> {
  const [first] = lanes;
  if (first === undefined) return;
  const ids = lanes.map(({ partnerId }) => partnerId);
  const rows = await sql<{ partnerId: number }[]>`
    update webhook_lanes set leased_until = ${formatTime(untilMs)}
    where leased_by = ${first.owner} and partner_id = any(${plainArray(ids)}::integer[])
    returning partner_id as "partnerId"`;
  const kept = new Set(rows.map(({ partnerId }) => partnerId));
  for (const lane of lanes) lane.leasedUntilMs = kept.has(lane.partnerId) ? untilMs : -Infinity;
}

/** Ends the lease, and writes the cursor past everything that is settled. */
export async function releaseLane(sql: Sql, lane: LeasedLane, nowMs: number): Promise<void> {
  const { partnerId, owner, nextSequence, settledTo = nextSequence, attempts } = lane;
  await sql`
    update webhook_lanes set leased_until = null, leased_by = null,
      next_attempt_at = greatest(next_attempt_at, ${formatTime(nowMs)}),
      next_sequence = case when next_sequence = ${nextSequence} then ${settledTo}
        else next_sequence end,
      attempts = ${attempts}
    where partner_id = ${partnerId} and leased_by = ${owner}`;
}

/**
 * Moves the cursor past what was delivered, to `next`.
 *
 * @returns false when the lease is lost
 */
export async function advanceCursor(sql: Sql, lane: LeasedLane, next: bigint): Promise<boolean> {
  const { count } = await sql`
    update webhook_lanes set next_sequence = ${next}, attempts = 0
    where ${leased(sql, lane)}`;
  if (count === 1) Object.assign(lane, { nextSequence: next, attempts: 0 });
  return count === 1;
}

/** Leaves the cursor at a failed event, to be attempted again later; ends the lease. */
export async function holdLane(
  sql: Sql,
  lane: LeasedLane,
  failed: FailedAttempt,
  nextAttemptMs: number,
): Promise<void> {
  await sql.begin(async (tx) => {
    const { count } = await tx`
      update webhook_lanes set leased_until = null, leased_by = null, attempts = ${failed.attempts},
        next_attempt_at = ${formatTime(nextAttemptMs)}
      where ${leased(tx, lane)}`;
    // The time of the next attempt is the lane's.
    if (count === 1) await recordFailure(tx, lane.partnerId, failed, "failing", null);
  });
}

/**
 * Moves the cursor past an event that was not delivered: the event is parked with its own schedule, or
 * exhausted when `nextAttemptMs` is null.
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

/** Stops delivery to an endpoint that answered 410 until it is enabled again. */
export async function disableLane(
  sql: Sql,
  lane: LeasedLane,
  failed: FailedAttempt,
): Promise<void> {
  await sql`
    update webhook_lanes set disabled_at = ${formatTime(failed.atMs)},
      disabled_reason = ${failed.reason}, leased_until = null, leased_by = null
    where ${leased(sql, lane)}`;
}
