import type { Sql } from "../store/database.ts";
import type { AnySql } from "../store/sql.ts";

/** A lane that this worker delivers for, until the lease ends. */
export interface LeasedLane {
  partnerId: number;
  url: string;
  /** The cursor: the next event in sequence. */
  nextSequence: bigint;
  /** Failed attempts for that event so far. */
  attempts: number;
  /** Whether the cursor's own event may be tried now, beside what has a schedule of its own. */
  cursorDue: boolean;
  /** The lease, and the fence: who has lost it changes nothing any more. */
  leasedUntilMs: number;
}

/** How an attempt failed, as it is kept. */
export interface FailedAttempt {
  sequence: bigint;
  attempts: number;
  status: number | null;
  reason: string;
}

const at = (ms: number) => new Date(ms).toISOString();

/**
 * Leases lanes that have something due. Two workers never get the same one (SKIP LOCKED), and a
 * worker that dies gives its lanes back by the end of the lease.
 */
export async function leaseLanes(
  sql: Sql,
  nowMs: number,
  untilMs: number,
  limit: number,
): Promise<LeasedLane[]> {
  const rows = await sql<
    {
      partner_id: number;
      webhook_url: string;
      next_sequence: bigint;
      attempts: number;
      cursor_due: boolean;
    }[]
  >`
    with due as (
      select l.partner_id, p.webhook_url
      from webhook_lanes l
      join partners p on p.partner_id = l.partner_id and p.webhook_url is not null
      join accounts a on a.partner_id = l.partner_id
      where l.disabled_at is null
        and (l.leased_until is null or l.leased_until <= ${at(nowMs)}::timestamptz)
        and ((l.next_attempt_at <= ${at(nowMs)}::timestamptz and a.last_event >= l.next_sequence)
          or l.partner_id in (select d.partner_id from event_deliveries d
            where d.next_attempt_at <= ${at(nowMs)}::timestamptz))
      order by l.next_attempt_at
      limit ${limit}
      for update of l skip locked
    )
    update webhook_lanes l set leased_until = ${at(untilMs)}::timestamptz
    from due where l.partner_id = due.partner_id
    returning l.partner_id, due.webhook_url, l.next_sequence, l.attempts,
      l.next_attempt_at <= ${at(nowMs)}::timestamptz as cursor_due`;
  return rows.map((row) => ({
    partnerId: row.partner_id,
    url: row.webhook_url,
    nextSequence: row.next_sequence,
    attempts: row.attempts,
    cursorDue: row.cursor_due,
    leasedUntilMs: untilMs,
  }));
}

/** Prolongs the lease. False when it is not ours any more. */
export async function renewLease(sql: Sql, lane: LeasedLane, untilMs: number): Promise<boolean> {
  const rows = await sql`
    update webhook_lanes set leased_until = ${at(untilMs)}::timestamptz
    where partner_id = ${lane.partnerId} and leased_until = ${at(lane.leasedUntilMs)}::timestamptz
    returning 1`;
  if (rows.length === 1) lane.leasedUntilMs = untilMs;
  return rows.length === 1;
}

export async function releaseLane(sql: Sql, lane: LeasedLane): Promise<void> {
  await sql`
    update webhook_lanes set leased_until = null
    where partner_id = ${lane.partnerId} and leased_until = ${at(lane.leasedUntilMs)}::timestamptz`;
}

/**
 * Moves the cursor behind what was delivered. Written without waiting for the disk: what a crash
 * loses of it is delivered again, under the same id.
 *
 * @returns false when the lease is lost
 */
export async function advanceCursor(sql: Sql, lane: LeasedLane, next: bigint): Promise<boolean> {
  const rows = await sql`
    update webhook_lanes set next_sequence = ${next}, attempts = 0
    from (select set_config('synchronous_commit', 'off', true)) as commit(setting)
    where commit.setting = 'off' and partner_id = ${lane.partnerId}
      and leased_until = ${at(lane.leasedUntilMs)}::timestamptz
    returning 1`;
  if (rows.length === 1) {
    lane.nextSequence = next;
    lane.attempts = 0;
  }
  return rows.length === 1;
}

/** Keeps the lane at its event, to be tried again at a time; ends the lease. */
export async function holdLane(
  sql: Sql,
  lane: LeasedLane,
  failed: FailedAttempt,
  nowMs: number,
  nextAttemptMs: number,
): Promise<void> {
  await sql.begin(async (tx) => {
    const held = await tx`
      update webhook_lanes set leased_until = null, attempts = ${failed.attempts},
        next_attempt_at = ${at(nextAttemptMs)}::timestamptz
      where partner_id = ${lane.partnerId} and leased_until = ${at(lane.leasedUntilMs)}::timestamptz
      returning 1`;
    if (held.length === 1) {
      await recordFailure(tx, lane.partnerId, failed, nowMs, "failing", null);
    }
  });
}

/**
 * Takes an event out of the lane, parked with a schedule of its own or exhausted, and lets the lane
 * go on behind it. False when the lease is lost.
 */
export async function setAside(
  sql: Sql,
  lane: LeasedLane,
  failed: FailedAttempt,
  nowMs: number,
  nextAttemptMs: number | undefined,
): Promise<boolean> {
  const next = failed.sequence + 1n;
  const moved = await sql.begin(async (tx) => {
    const rows = await tx`
      update webhook_lanes set next_sequence = ${next}, attempts = 0,
        next_attempt_at = ${at(nowMs)}::timestamptz
      where partner_id = ${lane.partnerId} and leased_until = ${at(lane.leasedUntilMs)}::timestamptz
      returning 1`;
    if (rows.length === 0) return false;
    const state = nextAttemptMs === undefined ? "exhausted" : "failing";
    await recordFailure(
      tx,
      lane.partnerId,
      failed,
      nowMs,
      state,
      nextAttemptMs ?? null,
    );
    return true;
  });
  if (moved) Object.assign(lane, { nextSequence: next, attempts: 0 });
  return moved;
}

/** Writes down how an event's delivery stands. */
export async function recordFailure(
  sql: AnySql,
  partnerId: number,
  failed: FailedAttempt,
  nowMs: number,
  state: "failing" | "exhausted",
  nextAttemptMs: number | null,
): Promise<void> {
  await sql`
    insert into event_deliveries (partner_id, sequence, state, attempts, next_attempt_at,
      last_attempt_at, last_status, last_error)
    values (${partnerId}, ${failed.sequence}, ${state}, ${failed.attempts},
      ${nextAttemptMs === null ? null : at(nextAttemptMs)}::timestamptz, ${at(nowMs)}::timestamptz,
      ${failed.status}, ${failed.reason})
    on conflict (partner_id, sequence) do update set state = excluded.state,
      attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at,
      last_attempt_at = excluded.last_attempt_at, last_status = excluded.last_status,
      last_error = excluded.last_error`;
}

/** Writes down that an event with a story was delivered after all. */
export async function recordDelivery(
  sql: Sql,
  partnerId: number,
  sequence: bigint,
  status: number,
  nowMs: number,
): Promise<void> {
  await sql`
    update event_deliveries set state = 'delivered', attempts = attempts + 1,
      next_attempt_at = null, last_attempt_at = ${at(nowMs)}::timestamptz, last_status = ${status},
      last_error = null
    where partner_id = ${partnerId} and sequence = ${sequence}`;
}

/** Events with a schedule of their own that are due: parked ones, and those asked for again. */
export async function selectDueDeliveries(
  sql: Sql,
  partnerId: number,
  nowMs: number,
  limit: number,
): Promise<{ sequence: bigint; attempts: number }[]> {
  return await sql<{ sequence: bigint; attempts: number }[]>`
    select sequence, attempts from event_deliveries
    where partner_id = ${partnerId} and next_attempt_at <= ${at(nowMs)}::timestamptz
    order by sequence limit ${limit}`;
}

/** Puts off all that is due in a lane whose endpoint is away; no attempt is counted. */
export async function postponeDue(
  sql: Sql,
  partnerId: number,
  nowMs: number,
  nextAttemptMs: number,
): Promise<void> {
  await sql`
    update event_deliveries set next_attempt_at = ${at(nextAttemptMs)}::timestamptz
    where partner_id = ${partnerId} and next_attempt_at <= ${at(nowMs)}::timestamptz`;
}

/** Stops all delivery to an endpoint that said it is gone (410), until somebody enables it again. */
export async function disableLane(
  sql: Sql,
  lane: LeasedLane,
  reason: string,
  nowMs: number,
): Promise<void> {
  await sql`
    update webhook_lanes set disabled_at = ${at(nowMs)}::timestamptz, disabled_reason = ${reason},
      leased_until = null
    where partner_id = ${lane.partnerId} and leased_until = ${at(lane.leasedUntilMs)}::timestamptz`;
}

/**
 * Opens a lane (again), because an endpoint was registered or changed: what waits is tried at once.
 *
 * @param skipOlder leaves out the events from before, for a partner that had no endpoint so far
 */
export async function enableWebhookLane(
  sql: AnySql,
  partnerId: number,
  nowMs: number,
  { skipOlder = false }: { skipOlder?: boolean } = {},
): Promise<void> {
  await sql`
    update webhook_lanes l set disabled_at = null, disabled_reason = null, attempts = 0,
      next_attempt_at = ${at(nowMs)}::timestamptz, leased_until = null,
      next_sequence = case when ${skipOlder} then a.last_event + 1 else l.next_sequence end
    from accounts a where a.partner_id = l.partner_id and l.partner_id = ${partnerId}`;
}
