import { refuse } from "@sabika/protocol";
import type { SignedCall } from "../call/findings.ts";
import type { Checked } from "./door.ts";
import type { TokenBuckets } from "./token_buckets.ts";

/**
 * Checks that the partner may store another nonce, each of which is kept for a day (Decision D25). The
 * check comes after the signature, since only then is a nonce spent.
 */
export function nonceVolume(buckets: TokenBuckets, now: () => number) {
  return <C extends SignedCall>(call: C): Checked<C> => {
    const { partnerId, settings } = call.partner;
    const { allowed, retryAfterSeconds } = buckets.take(
      "nonces",
      partnerId,
      settings.rateLimits.nonces,
      now(),
    );
    return allowed ? call : refuse("too_many_signed_requests", { retryAfterSeconds });
  };
}
