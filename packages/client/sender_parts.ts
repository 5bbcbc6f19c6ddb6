import type { RetryPolicy } from "./backoff.ts";
import type { Exchange } from "./call.ts";
import type { Identity } from "./identity.ts";

/**
 * The closing of a client. A set of functions rather than an AbortSignal, for which Node warns if more than
 * ten calls listen at once.
 */
export interface Closing {
  closed: boolean;
  /** Functions that end the calls in flight. */
  ends: Set<() => void>;
}

/** The parts with which calls are carried out, including clock, randomness and network. */
export interface SenderParts {
  identity: Identity;
  /** The service's clock minus the local one; set when the service refuses a timestamp. */
  clock: { offsetMs: number };
  now: () => number;
  random: (length: number) => Uint8Array;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  retry: RetryPolicy;
  timeoutMs: number;
  userAgent: string;
  closing: Closing;
  observe: ((exchange: Exchange) => void) | undefined;
}
