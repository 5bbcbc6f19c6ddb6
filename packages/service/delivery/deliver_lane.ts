import type { AttemptLog } from "./attempt_log.ts";
import { type EndpointParts, type EndpointVisit, openVisit } from "./endpoint_visit.ts";
import { type Answer, createLaneCursor, disable, failedAttempt } from "./lane_cursor.ts";
import { deliveriesOf, type Delivery } from "./lane_deliveries.ts";
import type { LaneStore } from "./lane_store.ts";
import type { LeasedLane } from "./webhook_lanes.ts";

/** What delivering in one lane needs. */
export interface DeliveryParts extends EndpointParts {
  store: LaneStore;
  attempts: AttemptLog;
  /** Resolves when the next attempt may begin. */
  pace: () => Promise<void>;
  /** Whether a lane that has begun this many deliveries may go on, or must make room for others. */
  mayContinue: (begun: number) => boolean;
}

/** After this many failures in a row the endpoint is in trouble, not the events. */
const FAILURES_IN_A_ROW = 3;
/** How many events may be delivered ahead of the one at the cursor; they are kept in memory. */
const AHEAD = 1_000n;

/**
 * Delivers what is due in one leased lane, up to `inFlight` events at once, until the endpoint is in
 * trouble, nothing is left or other lanes wait. With `inFlight` 1 delivery is strictly in sequence
 * (Decision D54). Always ends the lease.
 *
 * @returns whether the lane may have more to deliver right now
 */
export async function deliverLane(parts: DeliveryParts, lane: LeasedLane): Promise<boolean> {
  try {
    const visit = await openVisit(parts, lane);
    try {
      return await deliverAll(parts, lane, visit);
    } finally {
      visit.close();
      await parts.attempts.written();
    }
  } finally {
    await parts.store.release(lane, parts.now());
  }
}

async function deliverAll(
  parts: DeliveryParts,
  lane: LeasedLane,
  visit: EndpointVisit,
): Promise<boolean> {
  const { now, pace, mayContinue } = parts;
  const cursor = createLaneCursor(parts, lane);
  const inFlight = new Set<Promise<void>>();
  const underWay = new Set<bigint>();
  let onSettled = () => {};
  let failuresInARow = 0;
  let begun = 0;
  let isOver = false;
  let hasMore = false;
  let broken: { error: unknown } | undefined;
  // An endpoint in trouble gets one event at a time, a new one as many as it has answered, plus one.
  const width = () => lane.attempts > 0 ? 1 : Math.min(lane.inFlight, 1 + visit.answered());
  const isEndpointWell = () => failuresInARow < Math.min(FAILURES_IN_A_ROW, width());
  const mayBegin = () => !isOver && !broken && isEndpointWell() && now() < lane.leasedUntilMs;

  async function deliver({ row, attempts, isScheduled }: Delivery): Promise<void> {
    const { sequence } = row.event;
    const verdict = await visit.attempt(row, attempts);
    const answer = { sequence, attempts, verdict, atMs: now() };
    failuresInARow = verdict.kind === "hold" ? failuresInARow + 1 : 0;
    if (verdict.kind === "gone" || (verdict.kind === "hold" && verdict.asksForPause)) isOver = true;
    if (isScheduled) {
      if (!await recordScheduled(parts, lane, answer, !isEndpointWell())) isOver = true;
      underWay.delete(sequence);
    } else if (!await cursor.note(answer)) isOver = true;
  }

  try {
    for await (const delivery of deliveriesOf(parts, lane, underWay)) {
      await pace();
      const { sequence } = delivery.row.event;
      const isFarAhead = () => !delivery.isScheduled && sequence - lane.nextSequence > AHEAD;
      while (mayBegin() && (inFlight.size >= width() || isFarAhead())) {
        await new Promise<void>((resolve) => onSettled = resolve);
      }
      if (!mayBegin()) break;
      hasMore = !mayContinue(begun++);
      if (hasMore) break;
      const delivering = deliver(delivery).catch((error: unknown) => void (broken ??= { error }))
        .finally(() => {
          inFlight.delete(delivering);
          onSettled();
        });
      inFlight.add(delivering);
    }
  } finally {
    await Promise.all(inFlight);
  }
  if (broken) throw broken.error;
  await cursor.end();
  return hasMore;
}

/**
 * Records the outcome of an event with its own schedule: parked, or requested again.
 *
 * @returns false when the lease is lost or the lane is done, or the event was requested again meanwhile
 */
async function recordScheduled(
  parts: DeliveryParts,
  lane: LeasedLane,
  { sequence, attempts, verdict, atMs }: Answer,
  isEndpointAway: boolean,
): Promise<boolean> {
  const { store } = parts;
  await parts.attempts.written();
  if (verdict.kind === "delivered") {
    return await store.recordDelivery(lane, { sequence, atMs, status: verdict.status });
  }
  const failed = failedAttempt({ sequence, attempts, verdict, atMs });
  if (verdict.kind === "gone") {
    await disable(parts, lane, failed);
    return false;
  }
  const nextAttemptMs = verdict.kind === "exhausted" ? null : verdict.nextAttemptMs;
  const isRecorded = await store.recordScheduledFailure(lane, failed, nextAttemptMs);
  if (verdict.kind === "hold" && (isEndpointAway || verdict.asksForPause)) {
    // Another event of this lane would fare no better.
    await store.postponeDue(lane, atMs, verdict.nextAttemptMs);
  }
  return isRecorded;
}
