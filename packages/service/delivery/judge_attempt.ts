import type { PostResult } from "./post_webhook.ts";
import { nextAttemptAt } from "./schedule.ts";

/** What an attempt means for its event and for the lane. */
export type Verdict =
  | { kind: "delivered"; status: number }
  /** 410: the endpoint asks for no more events. */
  | { kind: "gone"; status: number; reason: string }
  /** The endpoint is in trouble: the lane waits, so that the sequence is kept. */
  | {
    kind: "hold";
    status: number | null;
    reason: string;
    nextAttemptMs: number;
    /** The endpoint asked for a pause (429, 503): the lane waits even if it accepted other events. */
    asksForPause: boolean;
  }
  /** The endpoint works but refuses this event, which gets its own schedule. */
  | { kind: "park"; status: number; reason: string; nextAttemptMs: number }
  /** No attempt is left. */
  | { kind: "exhausted"; status: number | null; reason: string };

/** After this many refusals by a working endpoint an event no longer holds up those behind it. */
const REFUSALS_BEFORE_PARKING = 3;

/**
 * Judges an attempt (Decision D35). 2xx is success; every other answer is a failure, redirects too.
 * 429 and 503 concern the endpoint, not the event, so they hold the lane as a lost connection does.
 *
 * @param attempts how many attempts have failed, including this one if it failed
 * @param chance 0 ≤ chance < 1, for the jitter of the next attempt
 */
export function judgeAttempt(
  result: PostResult,
  attempts: number,
  nowMs: number,
  chance: number,
): Verdict {
  const status = result.kind === "answered" ? result.status : null;
  if (status !== null && status >= 200 && status <= 299) return { kind: "delivered", status };
  const reason = result.kind === "failed" ? result.reason : `HTTP ${status}`;
  if (status === 410) return { kind: "gone", status, reason };
  const retryAfter = result.kind === "answered"
    ? readRetryAfter(result.retryAfter, nowMs)
    : undefined;
  const nextAttemptMs = nextAttemptAt(attempts, nowMs, chance, retryAfter);
  if (nextAttemptMs === undefined) return { kind: "exhausted", status, reason };
  const asksForPause = status === 429 || status === 503;
  if (status !== null && !asksForPause && attempts >= REFUSALS_BEFORE_PARKING) {
    return { kind: "park", status, reason, nextAttemptMs };
  }
  return { kind: "hold", status, reason, nextAttemptMs, asksForPause };
}

/** Reads Retry-After (RFC 9110 §10.2.3), seconds or a date, as seconds; undefined: neither. */
function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // Date.parse takes almost anything for a date.
  const at = /^[A-Z][a-z]{2}, .* GMT$/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMs) / 1_000);
}
