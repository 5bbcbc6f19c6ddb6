import type { AccessTokenHolder } from "./access_token.ts";
import type { RetryPolicy } from "./backoff.ts";
import type { Exchange } from "./call.ts";
import type { Kit } from "./kit.ts";
import type { FetchLike } from "./transport.ts";

/**
 * The client's end. A set of its own rather than an AbortSignal, on which Node warns when more
 * than ten calls listen at once.
 */
export interface Closing {
  closed: boolean;
  /** What is under way, to be ended. */
  ends: Set<() => void>;
}

/** What carrying out calls needs; everything that is not pure comes in here. */
export interface SenderParts {
  kit: Kit;
  fetch: FetchLike;
  now: () => number;
  random: (length: number) => Uint8Array;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Finds out whether the server refuses the certificate; asked when an error does not say. */
  isCertificateRefused: () => Promise<boolean>;
  token: AccessTokenHolder;
  retry: RetryPolicy;
  timeoutMs: number;
  userAgent: string;
  closing: Closing;
  observe: ((exchange: Exchange) => void) | undefined;
}

/** What is known from one call to the next. */
export interface SenderState {
  /** The service's clock minus ours; corrected once it says that ours is out of its window. */
  clockOffsetMs: number;
  /** A certificate that was taken once is not the reason for a later reset. */
  certificateTaken: boolean;
}
