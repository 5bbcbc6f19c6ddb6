const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When attempts are due, counted from the first (Decision D35). After the last, delivery is given up. */
export const ATTEMPT_OFFSETS_MS: readonly number[] = [
  0,
  SECOND / 2,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Each pause is lengthened by up to this fraction, so that attempts spread out. */
const JITTER = 0.1;
/** The longest pause that an endpoint may ask for. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;

/**
 * Computes the time of the next attempt.
 *
 * @param attempts how many attempts have failed so far, from 1
 * @param chance 0 ≤ chance < 1
 * @param retryAfterSeconds the pause that the endpoint asked for, of which at most 24 h are honoured; the
 *   next attempt is not earlier than that
 * @returns epoch milliseconds, or `undefined` when no attempt is left
 */
export function nextAttemptAt(
  attempts: number,
  nowMs: number,
  chance: number,
  retryAfterSeconds = 0,
): number | undefined {
  const next = ATTEMPT_OFFSETS_MS[attempts];
  const last = ATTEMPT_OFFSETS_MS[attempts - 1];
  if (next === undefined || last === undefined) return undefined;
  const pause = (next - last) * (1 + JITTER * chance);
  const asked = Math.min(retryAfterSeconds * SECOND, LONGEST_RETRY_AFTER_MS);
  return Math.ceil(nowMs + Math.max(pause, asked));
}
