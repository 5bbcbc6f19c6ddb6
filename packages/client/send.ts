import { parseTime } from "@sabika/protocol";
import { attemptOnce } from "./attempt.ts";
import { backoffMs } from "./backoff.ts";
import type { Call } from "./call.ts";
import { SabikaError, type SabikaErrorCode } from "./sabika_error.ts";
import type { SenderParts, SenderState } from "./sender_parts.ts";

/** Which cures a call has had already; each helps once or never. */
interface Cured {
  token: boolean;
  clock: boolean;
}

/**
 * Carries out a call, with as many attempts as the policy allows.
 *
 * Every attempt has its own timestamp, nonce and signature, and all have the same Idempotency-Key; so
 * a write whose answer was lost is asked for again and never done twice (Spec §5 Idempotency).
 *
 * @throws {SabikaError}, or the reason of `call.signal`
 */
export async function send<T>(parts: SenderParts, state: SenderState, call: Call<T>): Promise<T> {
  const cured: Cured = { token: false, clock: false };
  /** Whether an earlier attempt at this write may have been carried out. */
  let isUnknown = false;
  for (let attempt = 1;; attempt++) {
    const token = call.token ? await untilAborted(parts.token.get(), call.signal) : undefined;
    const result = await attemptOnce(parts, state, call, token, attempt);
    if (result.ok) return result.value;
    const error: SabikaError = isUnknown && !SAYS_ENOUGH.has(result.error.code)
      ? stillUnknown(result.error)
      : result.error;
    isUnknown ||= call.idempotencyKey !== undefined && LEAVES_UNKNOWN.has(error.code);
    if (applyCure(parts, state, cured, result.error, token)) continue;
    if (attempt >= parts.retry.attempts || !isWorthRepeating(error)) throw error;
    const pause = backoffMs(parts.retry, attempt, chance(parts), error.retryAfterSeconds);
    if (pause === undefined) throw error;
    await parts.wait(pause, call.signal);
  }
}

/** After these nobody knows whether the write was carried out. */
const LEAVES_UNKNOWN: ReadonlySet<SabikaErrorCode> = new Set<SabikaErrorCode>([
  "outcome_unknown",
  "internal_error",
  "connection_failed",
  "request_timed_out",
  "unexpected_answer",
]);

/** These speak of every attempt under the key: it was found, or nobody knows. */
const SAYS_ENOUGH: ReadonlySet<SabikaErrorCode> = new Set<SabikaErrorCode>([
  "idempotency_key_conflict",
  "outcome_unknown",
  "connection_failed",
  "request_timed_out",
  "unexpected_answer",
]);

/**
 * The refusal of a repeat. It speaks of the repeat alone: an attempt before it may have been carried
 * out all the same, or be on its way still (Decision D32). Only what found the key settles both.
 */
function stillUnknown(cause: SabikaError): SabikaError {
  const { status, requestId, retryAfterSeconds, idempotencyKey } = cause;
  return new SabikaError({
    code: "outcome_unknown",
    message: "an earlier attempt may have been carried out; repeat with the same Idempotency-Key",
    retryable: true,
    status,
    requestId,
    retryAfterSeconds,
    idempotencyKey,
    cause,
  });
}

/** Does what makes the next attempt succeed where this one could not; each once a call. */
function applyCure(
  parts: SenderParts,
  state: SenderState,
  cured: Cured,
  error: SabikaError,
  token: string | undefined,
): boolean {
  if (token !== undefined && (error.code === "token_expired" || error.code === "token_invalid")) {
    parts.token.drop(token);
    if (cured.token) return false;
    return cured.token = true;
  }
  if (error.code === "timestamp_out_of_window" && !cured.clock) {
    const serverTime = error.meta.server_time;
    const serverMs = typeof serverTime === "string" ? parseTime(serverTime) : undefined;
    if (serverMs === undefined) return false;
    state.clockOffsetMs = serverMs - parts.now();
    return cured.clock = true;
  }
  return false;
}

/**
 * Whether the same call may succeed as it is. Every call is safe or has a key, so repeating is never
 * wrong; a clock that was corrected and is refused again will not come right by itself.
 */
function isWorthRepeating(error: SabikaError): boolean {
  return error.retryable && error.code !== "timestamp_out_of_window";
}

/** The token is fetched for all who wait, so one caller's abort ends that caller's waiting alone. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** 0 ≤ chance < 1. */
export function chance(parts: SenderParts): number {
  const [a = 0, b = 0] = parts.random(2);
  return (a * 256 + b) / 65_536;
}
