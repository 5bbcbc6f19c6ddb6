/** How often and how patiently a call is repeated. */
export interface RetryPolicy {
  /** Attempts in all, the first one included. */
  attempts: number;
  /** The first pause is about this long; each further one about twice the one before. */
  firstDelayMs: number;
  /** No pause is longer, and an answer that asks for a longer one is not waited for. */
  longestDelayMs: number;
}

/**
 * What a client does unless told otherwise: six attempts within about seven seconds.
 *
 * @example
 * ```ts
 * import { createClient, DEFAULT_RETRY, openKit } from "@sabika/client";
 *
 * const retry = { attempts: DEFAULT_RETRY.attempts + 2 };
 * const client = createClient(await openKit(".sabika/partners/demo"), { retry });
 * await client.close();
 * ```
 */
export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 6,
  firstDelayMs: 200,
  longestDelayMs: 5_000,
};

/**
 * The pause after a failed attempt: doubling, capped, with "equal jitter" (half of it fixed, half by
 * chance) so that many callers do not retry at the same moment; never below `Retry-After`.
 *
 * @param attempt which attempt failed, from 1
 * @param chance 0 ≤ chance < 1
 * @returns milliseconds, or `undefined` when `Retry-After` is longer than the policy's longest delay
 */
export function backoffMs(
  policy: RetryPolicy,
  attempt: number,
  chance: number,
  retryAfterSeconds: number | undefined,
): number | undefined {
  const full = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
  const pause = full / 2 + (full / 2) * chance;
  const retryAfterMs = (retryAfterSeconds ?? 0) * 1000;
  return retryAfterMs > policy.longestDelayMs ? undefined : Math.max(pause, retryAfterMs);
}

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** `Retry-After` in seconds (RFC 9110 §10.2.3: seconds or a date), if it is there and readable. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // Date.parse takes almost anything for a date.
  const at = /^[A-Z][a-z]{2}, .* GMT$/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}
