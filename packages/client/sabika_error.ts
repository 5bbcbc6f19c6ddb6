import type { ErrorCode, OauthErrorCode, Problem } from "@sabika/protocol";

/**
 * Codes that the client gives itself, beside those that the service answers with:
 * - `connection_failed`: no answer, and no answer after every retry either;
 * - `request_timed_out`: the same, but the last attempt ran out of time;
 * - `server_certificate_untrusted`: the server's certificate does not lead to the kit's `ca.crt`;
 * - `unexpected_answer`: an answer that is not of this API (a proxy in between, say);
 * - `client_closed`: the client was used after `close()`.
 */
export type LocalErrorCode =
  | "connection_failed"
  | "request_timed_out"
  | "server_certificate_untrusted"
  | "unexpected_answer"
  | "client_closed";

/** Codes of the service, of its token endpoint (RFC 6749 §5.2), and the client's own. */
export type SabikaErrorCode = ErrorCode | OauthErrorCode | LocalErrorCode;

/** The members of a {@link SabikaError}. */
export interface SabikaErrorDetails {
  code: SabikaErrorCode;
  message: string;
  status?: number;
  requestId?: string;
  retryable?: boolean;
  retryAfterSeconds?: number;
  idempotencyKey?: string;
  meta?: Problem["meta"];
  errors?: Problem["errors"];
  diagnosis?: Problem["diagnosis"];
  cause?: unknown;
}

/**
 * The one error that a call of the client throws, whatever went wrong (an abort by the caller's own
 * signal excepted: that throws the signal's reason).
 *
 * `code` is stable and meant to be compared; `message` is for people and holds no secret.
 * `status` is 0 when no answer came. `retryable` says that the same call may succeed later as it is.
 * After a write whose outcome is unknown, call again with `idempotencyKey`: it is carried out
 * once, however often it is asked for (Spec §5 Idempotency).
 */
export class SabikaError extends Error {
  readonly code: SabikaErrorCode;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly meta: Problem["meta"];
  readonly errors: Problem["errors"];
  /** On a refused signed probe: what is wrong with the way the string was built. */
  readonly diagnosis: Problem["diagnosis"];

  constructor(details: SabikaErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "SabikaError";
    this.code = details.code;
    this.status = details.status ?? 0;
    this.requestId = details.requestId;
    this.retryable = details.retryable ?? false;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.idempotencyKey = details.idempotencyKey;
    this.meta = details.meta ?? {};
    this.errors = details.errors ?? [];
    this.diagnosis = details.diagnosis;
  }
}
