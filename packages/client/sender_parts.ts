import type { SigningKey } from "@sabika/protocol";
import type { AccessTokenHolder } from "./access_token.ts";
import type { RetryPolicy } from "./backoff.ts";
import type { Exchange } from "./call.ts";
import type { Kit } from "./kit.ts";
import type { FetchLike } from "./transport.ts";

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
  kit: Kit<SigningKey>;
  fetch: FetchLike;
  now: () => number;
  random: (length: number) => Uint8Array;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Finds out whether the server refuses the certificate; called after an unclear error. */
  isCertificateRefused: () => Promise<boolean>;
  token: AccessTokenHolder;
  retry: RetryPolicy;
  timeoutMs: number;
  userAgent: string;
  closing: Closing;
  observe: ((exchange: Exchange) => void) | undefined;
}

/** State that is kept between calls. */
export interface SenderState {
  /** The service's clock minus the local one; set when the service refuses a timestamp. */
  clockOffsetMs: number;
  /** Whether the service has accepted the certificate, which then cannot explain a broken connection. */
  certificateAccepted: boolean;
}
