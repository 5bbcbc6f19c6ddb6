import type { RateClass } from "@sabika/core/partners";
import { refuse } from "@sabika/protocol";
import type { Check } from "../call.ts";
import type { RateState, TokenBuckets } from "./token_buckets.ts";

/** One token of the caller's bucket for this class of endpoints (Decision D42). */
export function rateCheck(buckets: TokenBuckets, name: RateClass, now: () => number): Check {
  return (call) => {
    const partner = call.partner;
    if (partner === undefined) throw new TypeError("the certificate check must come first");
    const state = buckets.take(name, partner.partnerId, partner.settings.rateLimits[name], now());
    call.rate = state;
    return state.allowed
      ? undefined
      : refuse("rate_limited", { retryAfterSeconds: state.retryAfterSeconds });
  };
}

/** The value of `RateLimit`: what is left, and when it is whole again (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeader(state: RateState): string {
  return `"${state.name}";r=${state.remaining};t=${state.resetSeconds}`;
}

/** The value of `RateLimit-Policy`: the quota and its window in seconds. */
export function rateLimitPolicyHeader(state: RateState): string {
  const { burst, perSecond } = state.limit;
  return `"${state.name}";q=${burst};w=${Math.ceil(burst / perSecond)}`;
}
