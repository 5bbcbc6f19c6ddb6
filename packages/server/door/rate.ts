import type { RateClass } from "@sabika/terms";
import { refuse } from "@sabika/protocol";
import type { AdmittedCall, Before, Counted, SingleHeaders } from "../call/findings.ts";
import type { RateState } from "../call/rate_state.ts";
import type { Checked } from "./door.ts";
import type { TokenBuckets } from "./token_buckets.ts";

/** Takes a token from the partner's bucket for this class of endpoints (Decision D42). */
export function rateCheck(buckets: TokenBuckets, name: RateClass, now: () => number) {
  return <C extends AdmittedCall>(call: C & Before<SingleHeaders>): Checked<C & Counted> => {
    const { partnerId, settings } = call.partner;
    const rate = buckets.take(name, partnerId, settings.rateLimits[name], now());
    const counted = Object.assign(call, { rate });
    return rate.allowed
      ? counted
      : refuse("rate_limited", { retryAfterSeconds: rate.retryAfterSeconds });
  };
}

/** The value of `RateLimit`: requests left, seconds until all are (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeader(state: RateState): string {
  return `"${state.name}";r=${state.remaining};t=${state.resetSeconds}`;
}

/** The value of `RateLimit-Policy`: the quota and its window in seconds. */
export function rateLimitPolicyHeader(state: RateState): string {
  const { burst, perSecond } = state.limit;
  return `"${state.name}";q=${burst};w=${Math.ceil(burst / perSecond)}`;
}
