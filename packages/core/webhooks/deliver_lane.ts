import type { Sql } from "../store/database.ts";
import { type EndpointParts, type EndpointVisit, openVisit } from "./endpoint_visit.ts";
import {
  type FailedAttempt,
  postponeDue,
  recordDelivery,
  recordFailure,
  selectDueDeliveries,
} from "./event_deliveries.ts";
import { selectEvents } from "./event_rows.ts";
import type { Verdict } from "./judge_attempt.ts";
import {
  advanceCursor,
  disableLane,
  holdLane,
  type LeasedLane,
  releaseLane,
  renewLease,
  skipEvent,
} from "./webhook_lanes.ts";

export interface DeliveryParts extends EndpointParts {
  sql: Sql;
  leaseMs: number;
}

/** How many events of a lane are in memory at most, whatever its backlog (F81). */
const BATCH = 50;
/** Deliveries until the cursor is written at the latest: what a crash can send twice. */
const WRITE_CURSOR_EVERY = 25;
/** Events of one turn; then other lanes get theirs. */
const TURN = 500;

/**
 * Delivers what is due in one leased lane: first the events with a schedule of their own, then the
 * lane in sequence, one at a time, until an attempt fails, nothing is left or the turn is over.
 * Ends the lease in any case.
 */
export async function deliverLane(parts: DeliveryParts, lane: LeasedLane): Promise<void> {
  try {
    const visit = await openVisit(parts, lane);
    try {
      const goesOn = await deliverScheduled(parts, lane, visit);
      if (goesOn && lane.cursorDue) await deliverInSequence(parts, lane, visit);
    } finally {
      visit.close();
    }
  } finally {
    await releaseLane(parts.sql, lane);
  }
}

/** Parked events and those asked for again. False when nothing more is to be done in this lane. */
async function deliverScheduled(
  parts: DeliveryParts,
  lane: LeasedLane,
  visit: EndpointVisit,
): Promise<boolean> {
  const { sql, now } = parts;
  const { partnerId } = lane;
  for (const due of await selectDueDeliveries(sql, partnerId, now(), BATCH)) {
    const { sequence } = due;
    const [row] = await selectEvents(sql, { partnerId, fromSequence: sequence, limit: 1 });
    if (!row || !await keepLease(parts, lane)) return false;
    const attempts = due.attempts + 1;
    const verdict = await visit.attempt(row, attempts);
    const atMs = now();
    if (verdict.kind === "delivered") {
      await recordDelivery(sql, partnerId, { sequence, atMs, status: verdict.status });
      continue;
    }
    const failed = failedAttempt(sequence, attempts, atMs, verdict);
    if (verdict.kind === "gone") {
      await disable(parts, lane, failed);
      return false;
    }
    if (verdict.kind === "exhausted") {
      await recordFailure(sql, partnerId, failed, "exhausted", null);
      continue;
    }
    await recordFailure(sql, partnerId, failed, "failing", verdict.nextAttemptMs);
    if (verdict.kind === "hold") {
      // The endpoint is away: another event of this lane would fare no better.
      await postponeDue(sql, partnerId, atMs, verdict.nextAttemptMs);
      break;
    }
  }
  return true;
}

async function deliverInSequence(
  parts: DeliveryParts,
  lane: LeasedLane,
  visit: EndpointVisit,
): Promise<void> {
  const { sql, now } = parts;
  const { partnerId } = lane;
  /** The next event to be sent; the lane's cursor follows it from time to time. */
  let next = lane.nextSequence;
  const writeCursor = async () =>
    next === lane.nextSequence || await advanceCursor(sql, lane, next);
  for (let left = TURN; left > 0;) {
    const limit = Math.min(BATCH, left);
    const rows = await selectEvents(sql, { partnerId, fromSequence: next, limit });
    if (rows.length === 0) break;
    left -= rows.length;
    for (const row of rows) {
      if (!await keepLease(parts, lane)) return;
      const { sequence } = row.event;
      const failedBefore = next === lane.nextSequence ? lane.attempts : 0;
      const verdict = await visit.attempt(row, failedBefore + 1);
      const atMs = now();
      if (verdict.kind === "delivered") {
        if (failedBefore > 0) {
          await recordDelivery(sql, partnerId, { sequence, atMs, status: verdict.status });
        }
        next = sequence + 1n;
        const isDue = next - lane.nextSequence >= WRITE_CURSOR_EVERY || failedBefore > 0;
        if (isDue && !await writeCursor()) return;
        continue;
      }
      if (!await writeCursor()) return;
      const failed = failedAttempt(sequence, failedBefore + 1, atMs, verdict);
      if (verdict.kind === "gone") return await disable(parts, lane, failed);
      if (verdict.kind === "hold") return await holdLane(sql, lane, failed, verdict.nextAttemptMs);
      const nextAttemptMs = verdict.kind === "park" ? verdict.nextAttemptMs : null;
      if (!await skipEvent(sql, lane, failed, nextAttemptMs)) return;
      next = sequence + 1n;
    }
  }
  await writeCursor();
}

/** Prolongs the lease when an attempt could outlast it. False when it is lost. */
async function keepLease(parts: DeliveryParts, lane: LeasedLane): Promise<boolean> {
  const { sql, now, leaseMs, timeoutMs } = parts;
  if (lane.leasedUntilMs - now() > 2 * timeoutMs) return true;
  return await renewLease(sql, lane, now() + leaseMs);
}

function failedAttempt(
  sequence: bigint,
  attempts: number,
  atMs: number,
  { status, reason }: Exclude<Verdict, { kind: "delivered" }>,
): FailedAttempt {
  return { sequence, attempts, atMs, status, reason };
}

async function disable(
  { sql, log }: DeliveryParts,
  lane: LeasedLane,
  failed: FailedAttempt,
): Promise<void> {
  await disableLane(sql, lane, failed);
  log.error("webhook endpoint disabled", {
    partnerId: lane.partnerId,
    sequence: String(failed.sequence),
    reason: failed.reason,
  });
}
