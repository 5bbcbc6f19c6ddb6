/** The number of attempts of a call, and the pauses between them. */
export interface RetryPolicy {
  /** The number of attempts, including the first. */
  attempts: number;
  /** The approximate first pause in milliseconds; each further pause is about twice as long. */
  firstDelayMs: number;
  /** The longest pause in milliseconds. If an answer asks for a longer one, the call fails at once. */
  longestDelayMs: number;
}

/**
 * The default policy of a client: six attempts within about seven seconds.
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
 * Computes the pause after a failed attempt. It doubles up to a limit, half of it is random ("equal jitter")
 * so that many callers do not retry at the same moment, and it is never below `Retry-After`.
 *
 * @param attempt the number of the failed attempt, from 1
 * @param chance 0 ≤ chance < 1
 * @returns milliseconds, or `undefined` if `Retry-After` is longer than the policy's longest pause
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

/** Reads `Retry-After` (RFC 9110 §10.2.3) as seconds from now, at least 0; undefined if absent or invalid. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // Date.parse accepts almost any text.
  const at = /^[A-Z][a-z]{2}, .* GMT$/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}
