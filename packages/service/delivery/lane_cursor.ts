import type { AttemptLog } from "./attempt_log.ts";
import type { WebhookLog } from "./endpoint_visit.ts";
import type { FailedAttempt } from "./event_deliveries.ts";
import type { Verdict } from "./judge_attempt.ts";
import type { LaneStore } from "./lane_store.ts";
import type { LeasedLane } from "./webhook_lanes.ts";

/** The outcome of an attempt at one event. */
export interface Answer {
  sequence: bigint;
  attempts: number;
  verdict: Verdict;
  atMs: number;
}

interface CursorParts {
  store: LaneStore;
  attempts: AttemptLog;
  log: WebhookLog;
}

/** The cursor is written at least this often: a crash can repeat so many deliveries. */
const WRITE_EVERY = 25n;

/**
 * Moves a lane's cursor past the events whose delivery is settled. An event that failed while a later
 * one was delivered gets its own schedule; if no later one was, the lane waits (Decision D54).
 */
export function createLaneCursor(parts: CursorParts, lane: LeasedLane) {
  const { store } = parts;
  /** By sequence; events that the cursor has not passed yet. */
  const answers = new Map<bigint, Answer>();
  let isSettling = false;
  let cameMeanwhile = false;

  async function advance(next: bigint): Promise<boolean> {
    await parts.attempts.written();
    for (let passed = lane.nextSequence; passed < next; passed++) answers.delete(passed);
    return next === lane.nextSequence || await store.advance(lane, next);
  }
  const wasLaterDelivered = (failed: bigint) =>
    [...answers.values()].some(({ sequence, verdict }) =>
      sequence > failed && verdict.kind === "delivered"
    );

  /** False when the lease is lost or the lane is done. `isLast`: no delivery is in flight any more. */
  async function settle(isLast: boolean): Promise<boolean> {
    let done = lane.nextSequence;
    for (let answer; (answer = answers.get(done)) !== undefined;) {
      const { sequence, attempts, verdict, atMs } = answer;
      if (verdict.kind === "delivered") {
        done = sequence + 1n;
        if (attempts === 1) continue;
        await store.recordDelivery(lane, { sequence, atMs, status: verdict.status });
        if (!await advance(done)) return false;
        continue;
      }
      const holds = verdict.kind === "hold" &&
        (verdict.asksForPause || !wasLaterDelivered(sequence));
      if (!isLast && (holds || verdict.kind === "gone")) break;
      if (!await advance(done)) return false;
      const failed = failedAttempt(answer);
      if (verdict.kind === "gone") {
        await disable(parts, lane, failed);
        return false;
      }
      if (holds) {
        await store.hold(lane, failed, verdict.nextAttemptMs);
        return false;
      }
      const nextAttemptMs = verdict.kind === "exhausted" ? null : verdict.nextAttemptMs;
      if (!await store.skip(lane, failed, nextAttemptMs)) return false;
      answers.delete(sequence);
      done = sequence + 1n;
    }
    if (isLast) {
      // The last step is written when the lane is released.
      await parts.attempts.written();
      lane.settledTo = done;
    }
    return done - lane.nextSequence < WRITE_EVERY || await advance(done);
  }

  return {
    /** Notes an outcome; false when the lease is lost or the lane is done. */
    async note(answer: Answer): Promise<boolean> {
      answers.set(answer.sequence, answer);
      cameMeanwhile = true;
      if (isSettling) return true;
      isSettling = true;
      try {
        while (cameMeanwhile) {
          cameMeanwhile = false;
          if (!await settle(false)) return false;
        }
        return true;
      } finally {
        isSettling = false;
      }
    },
    /** Settles the remaining events; called when no delivery is in flight any more. */
    end: () => settle(true),
  };
}

/** Converts the outcome of a failed attempt; throws TypeError when the event was delivered. */
export function failedAttempt({ sequence, attempts, verdict, atMs }: Answer): FailedAttempt {
  if (verdict.kind === "delivered") throw new TypeError(`event ${sequence} was delivered`);
  return { sequence, attempts, atMs, status: verdict.status, reason: verdict.reason };
}

/** Disables the endpoint of a lane, and logs why. */
export async function disable(
  { store, log }: Omit<CursorParts, "attempts">,
  lane: LeasedLane,
  failed: FailedAttempt,
): Promise<void> {
  await store.disable(lane, failed);
  log.error("webhook endpoint disabled", {
    partnerId: lane.partnerId,
    sequence: String(failed.sequence),
    reason: failed.reason,
  });
}
