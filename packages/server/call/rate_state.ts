import type { RateLimit } from "@sabika/protocol";

/** The state of a rate limit after a request, for the RateLimit headers (Decision D42). */
export interface RateState {
  readonly limit: RateLimit;
  readonly name: string;
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until the whole burst is available again. */
  readonly resetSeconds: number;
  /** Seconds until the next request can pass; 0 when this one did. */
  readonly retryAfterSeconds: number;
}
