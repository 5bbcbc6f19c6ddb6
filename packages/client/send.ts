import { parseTime } from "@sabika/protocol";
import { attemptOnce } from "./attempt.ts";
import { backoffMs } from "./backoff.ts";
import type { Call } from "./call.ts";
import { outcomeUnknown } from "./failure.ts";
import type { Identity } from "./identity.ts";
import { SabikaError, type SabikaErrorCode } from "./sabika_error.ts";
import type { SenderParts } from "./sender_parts.ts";

/** Which remedies a call has already had; each is applied at most once. */
interface Cured {
  token: boolean;
  clock: boolean;
}

/**
 * Carries out a call, with as many attempts as the policy allows.
 *
 * Every attempt has its own timestamp, nonce and signature, and all have the same Idempotency-Key; so
 * a write whose answer was lost is repeated but never done twice (Spec §5 Idempotency).
 *
 * @throws {SabikaError} if the call fails, or the reason of `call.signal`
 */
export async function send<T>(parts: SenderParts, call: Call<T>): Promise<T> {
  const cured: Cured = { token: false, clock: false };
  /** Whether an earlier attempt at this write may have been executed. */
  let isUnknown = false;
  for (let attempt = 1;; attempt++) {
    const { identity } = parts;
    const { token, result } = await identity.use(async () => {
      const token = call.token ? await tokenFor(identity, call, isUnknown) : undefined;
      return { token, result: await attemptOnce({ ...parts, identity }, call, token, attempt) };
    });
    if (result.ok) return result.value;
    const error: SabikaError = isUnknown && !SAYS_ENOUGH.has(result.error.code)
      ? outcomeUnknown(result.error, call.idempotencyKey)
      : result.error;
    isUnknown ||= call.idempotencyKey !== undefined && LEAVES_UNKNOWN.has(error.code);
    if (applyCure(parts, identity, cured, result.error, token)) continue;
    const isLast = attempt >= parts.retry.attempts || parts.closing.closed;
    if (isLast || !isWorthRepeating(error)) throw error;
    const pause = backoffMs(parts.retry, attempt, chance(parts), error.retryAfterSeconds);
    if (pause === undefined) throw error;
    await parts.wait(pause, call.signal);
  }
}

/** Codes after which it is unknown whether the write was executed. */
const LEAVES_UNKNOWN: ReadonlySet<SabikaErrorCode> = new Set<SabikaErrorCode>([
  "outcome_unknown",
  "internal_error",
  "connection_failed",
  "request_timed_out",
  "unexpected_answer",
]);

/**
 * Codes that hold for every attempt under the key: it was found, or its outcome is unknown. Other refusals of a repeat
 * say nothing about earlier attempts, which may have been executed or still be in flight (Decision D32).
 */
const SAYS_ENOUGH: ReadonlySet<SabikaErrorCode> = new Set<SabikaErrorCode>([
  "idempotency_key_conflict",
  "outcome_unknown",
  "connection_failed",
  "request_timed_out",
  "unexpected_answer",
]);

/** Gets the token of an attempt; that there is none says nothing about earlier attempts either. */
async function tokenFor(
  { token }: Identity,
  call: Call<unknown>,
  isUnknown: boolean,
): Promise<string> {
  try {
    return await untilAborted(token.get(), call.signal);
  } catch (error) {
    if (!isUnknown || !(error instanceof SabikaError)) throw error;
    throw outcomeUnknown(error, call.idempotencyKey);
  }
}

/** Removes the cause of a failure, if it can, so that the next attempt succeeds; at most once per call. */
function applyCure(
  parts: SenderParts,
  identity: Identity,
  cured: Cured,
  error: SabikaError,
  token: string | undefined,
): boolean {
  if (token !== undefined && (error.code === "token_expired" || error.code === "token_invalid")) {
    identity.token.drop(token);
    if (cured.token) return false;
    return cured.token = true;
  }
  if (error.code === "timestamp_out_of_window" && !cured.clock) {
    const serverTime = error.meta.server_time;
    const serverMs = typeof serverTime === "string" ? parseTime(serverTime) : undefined;
    if (serverMs === undefined) return false;
    parts.clock.offsetMs = serverMs - parts.now();
    return cured.clock = true;
  }
  return false;
}

/**
 * Returns whether the same call may succeed if repeated. Repeating is always safe, because every call is a
 * read or has a key. It is useless after a timestamp was refused although the clock was corrected.
 */
function isWorthRepeating(error: SabikaError): boolean {
  return error.retryable && error.code !== "timestamp_out_of_window";
}

/** Waits until the promise settles or the signal aborts; the token's fetch goes on for other callers. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Draws a random number, 0 ≤ x < 1. */
export function chance(parts: SenderParts): number {
  const [a = 0, b = 0] = parts.random(2);
  return (a * 256 + b) / 65_536;
}
