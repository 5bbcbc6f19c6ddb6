const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When an event is tried, counted from its first attempt (Decision D35); then it is exhausted. */
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

/** Each pause is longer by up to this part of it, so that endpoints are not all tried at once. */
const JITTER = 0.1;
/** An endpoint may ask for patience, but not for ever. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;

/**
 * When to try next.
 *
 * @param attempts how many attempts have failed so far, from 1
 * @param chance 0 ≤ chance < 1
 * @param retryAfterSeconds what the endpoint asked for; never sooner than that
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
