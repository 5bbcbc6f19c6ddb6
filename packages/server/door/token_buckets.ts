import type { RateLimit } from "@sabika/protocol";
import type { RateState } from "../call/rate_state.ts";

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * Token buckets in memory, one for each caller and class: no row is shared on the hot path, and a flood
 * from one caller takes nothing from another's bucket. By default keys are partners' numbers.
 */
export class TokenBuckets<Key = number> {
  readonly #buckets = new Map<string, Map<Key, Bucket>>();

  /** Takes one token from the bucket of `key` in the class `name`, refilled up to now. */
  take(name: string, key: Key, limit: RateLimit, nowMs: number): RateState {
    let ofClass = this.#buckets.get(name);
    if (ofClass === undefined) this.#buckets.set(name, ofClass = new Map());
    let bucket = ofClass.get(key);
    if (bucket === undefined) {
      ofClass.set(key, bucket = { tokens: limit.burst, filledAtMs: nowMs });
    }
    // A clock that is set back neither fills nor empties a bucket.
    const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs);
    bucket.tokens = Math.min(limit.burst, bucket.tokens + elapsedMs * limit.perSecond / 1000);
    bucket.filledAtMs = nowMs;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    return {
      limit,
      name,
      allowed,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((limit.burst - bucket.tokens) / limit.perSecond),
      retryAfterSeconds: allowed ? 0 : Math.ceil((1 - bucket.tokens) / limit.perSecond),
    };
  }

  /** Puts back a token that was taken and shall not count. */
  giveBack(name: string, key: Key): void {
    const bucket = this.#buckets.get(name)?.get(key);
    // A surplus token is cut off when the next is taken.
    if (bucket !== undefined) bucket.tokens += 1;
  }
}
