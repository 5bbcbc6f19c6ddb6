import type { Sql } from "../store/database.ts";
import type { AttemptLog } from "./attempt_log.ts";
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
  attempts: AttemptLog;
  /** Resolves when the next attempt may begin. */
  pace: () => Promise<void>;
}

/** How many events of a lane are in memory at most, whatever its backlog (F81). */
const BATCH = 50;
/** Deliveries until the cursor is written at the latest: what a crash can send twice. */
const WRITE_CURSOR_EVERY = 25n;
/** Events of one turn; then other lanes get theirs. */
const TURN = 500;

/**
 * Delivers what is due in one leased lane: first the events with a schedule of their own, then the
 * lane from its cursor, until an attempt fails, nothing is left or the turn is over. Ends the lease
 * in any case.
 */
export async function deliverLane(parts: DeliveryParts, lane: LeasedLane): Promise<void> {
  try {
    const visit = await openVisit(parts, lane);
    try {
      const goesOn = !lane.hasScheduled || await deliverScheduled(parts, lane, visit);
      if (goesOn && lane.cursorDue) await deliverInSequence(parts, lane, visit);
    } finally {
      visit.close();
      await parts.attempts.written();
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
    await parts.pace();
    if (!row || !await keepLease(parts, lane)) return false;
    const attempts = due.attempts + 1;
    const verdict = await visit.attempt(row, attempts);
    const atMs = now();
    await parts.attempts.written();
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

/**
 * Delivers from the cursor on, up to `inFlight` events at once; one at a time is strictly in
 * sequence (Decision D54). The cursor follows behind all that is settled. What failed while a later
 * event was delivered gets a schedule of its own; where nothing later was, the lane waits.
 */
async function deliverInSequence(
  parts: DeliveryParts,
  lane: LeasedLane,
  visit: EndpointVisit,
): Promise<void> {
  const flying = new Set<Promise<unknown>>();
  const answers: Answers = new Map();
  const broken: unknown[] = [];
  const { sql, now, pace } = parts;
  const { partnerId } = lane;
  let next = lane.nextSequence;
  let left = TURN;
  // An endpoint that is in trouble is asked with one event, a new one with as many as it answered.
  const width = () => lane.attempts > 0 ? 1 : Math.min(lane.inFlight, 1 + visit.answered());
  const isWell = () => [...answers.values()].every(({ verdict }) => isSettled(verdict));
  try {
    while (left > 0 && isWell() && broken.length === 0) {
      const limit = Math.min(BATCH, left);
      const rows = await selectEvents(sql, { partnerId, fromSequence: next, limit });
      left = rows.length < limit ? 0 : left - limit;
      for (const row of rows) {
        await pace();
        while (flying.size >= width()) await Promise.race(flying);
        if (!isWell() || broken.length > 0) break;
        if (!await keepLease(parts, lane)) return;
        if (!await settle(parts, lane, answers, { isLast: false })) return;
        const { sequence } = row.event;
        const attempts = 1 + (sequence === lane.nextSequence ? lane.attempts : 0);
        const flight = visit.attempt(row, attempts)
          .then((verdict) => answers.set(sequence, { sequence, attempts, verdict, atMs: now() }))
          .catch((error: unknown) => broken.push(error))
          .finally(() => flying.delete(flight));
        flying.add(flight);
        next = sequence + 1n;
      }
    }
  } finally {
    await Promise.all(flying);
  }
  if (broken.length > 0) throw broken[0];
  await settle(parts, lane, answers, { isLast: true });
}

/** What came of an attempt at one event. */
interface Answer {
  sequence: bigint;
  attempts: number;
  verdict: Verdict;
  atMs: number;
}

/** By sequence: those that the cursor has not passed yet. */
type Answers = Map<bigint, Answer>;

/** Whether the event needs nothing more of the lane. */
function isSettled(verdict: Verdict): boolean {
  return verdict.kind !== "hold" && verdict.kind !== "gone";
}

/**
 * Moves the cursor over what is settled, from time to time; with `isLast`, nothing being under way
 * any more, decides what the rest means for the lane.
 *
 * @returns false when the lease is lost or the lane is done
 */
async function settle(
  parts: DeliveryParts,
  lane: LeasedLane,
  answers: Answers,
  { isLast }: { isLast: boolean },
): Promise<boolean> {
  const { sql } = parts;
  let done = lane.nextSequence;
  /** The cursor, once it is written, is past these. */
  const advance = async (next: bigint) => {
    await parts.attempts.written();
    for (let passed = lane.nextSequence; passed < next; passed++) answers.delete(passed);
    return next === lane.nextSequence || await advanceCursor(sql, lane, next);
  };
  for (let answer; (answer = answers.get(done)) !== undefined;) {
    const { sequence, attempts, verdict, atMs } = answer;
    if (verdict.kind === "delivered") {
      done = sequence + 1n;
      if (attempts === 1) continue;
      await recordDelivery(sql, lane.partnerId, { sequence, atMs, status: verdict.status });
      if (!await advance(done)) return false;
      continue;
    }
    if (!isLast && !isSettled(verdict)) break;
    if (!await advance(done)) return false;
    const failed = failedAttempt(sequence, attempts, atMs, verdict);
    if (verdict.kind === "gone") return await disable(parts, lane, failed);
    if (verdict.kind === "hold" && (verdict.asksForPause || !wasLaterDelivered(answers))) {
      await holdLane(sql, lane, failed, verdict.nextAttemptMs);
      return false;
    }
    const nextAttemptMs = verdict.kind === "exhausted" ? null : verdict.nextAttemptMs;
    if (!await skipEvent(sql, lane, failed, nextAttemptMs)) return false;
    answers.delete(sequence);
    done = sequence + 1n;
  }
  return done - lane.nextSequence < (isLast ? 1n : WRITE_CURSOR_EVERY) || await advance(done);
}

/** What the cursor has not passed yet and was delivered all the same. */
function wasLaterDelivered(answers: Answers): boolean {
  return [...answers.values()].some(({ verdict }) => verdict.kind === "delivered");
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
): Promise<false> {
  await disableLane(sql, lane, failed);
  log.error("webhook endpoint disabled", {
    partnerId: lane.partnerId,
    sequence: String(failed.sequence),
    reason: failed.reason,
  });
  return false;
}
