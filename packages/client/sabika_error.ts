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
  /** To be compared. */
  code: SabikaErrorCode;
  /** For people, without the request's id. */
  message: string;
  /** 0 when no answer came. */
  status?: number;
  /** `X-Request-Id` of the answer. */
  requestId?: string;
  /** Whether the same call may succeed later. */
  retryable?: boolean;
  /** What `Retry-After` asks for. */
  retryAfterSeconds?: number;
  /** Of a write: to ask again with. */
  idempotencyKey?: string;
  /** What belongs to the code. */
  meta?: Problem["meta"];
  /** The members of the request that are wrong. */
  errors?: Problem["errors"];
  /** Of a refused signed probe. */
  diagnosis?: Problem["diagnosis"];
  /** What was thrown below. */
  cause?: unknown;
}

/**
 * The one error that a call of the client throws, whatever went wrong (an abort by the caller's own
 * signal excepted: that throws the signal's reason).
 *
 * `code` is stable and meant to be compared; `message` is for people, ends with the request's id, and
 * holds no secret. `requestId` is the `X-Request-Id` of the answer, undefined only when none came.
 * `status` is 0 when no answer came. `retryable` says that the same call may succeed later as it is.
 * After a write whose outcome is unknown, call again with `idempotencyKey`: it is carried out
 * once, however often it is asked for (Spec §5 Idempotency).
 *
 * @example
 * ```ts
 * import { createClient, openKit, SabikaError } from "@sabika/client";
 *
 * const client = createClient(await openKit(".sabika/partners/demo"));
 * try {
 *   await client.getOrder("ord_01932f0e-7c00-7000-8000-000000000001");
 * } catch (error) {
 *   if (!(error instanceof SabikaError)) throw error;
 *   console.log(error.code, error.status, error.retryable, error.requestId);
 * } finally {
 *   await client.close();
 * }
 * ```
 */
export class SabikaError extends Error {
  /** To be compared. */
  readonly code: SabikaErrorCode;
  /** 0 when no answer came. */
  readonly status: number;
  /** `X-Request-Id` of the answer: quote it when you write to the operator. */
  readonly requestId: string | undefined;
  /** Whether the same call may succeed later as it is. */
  readonly retryable: boolean;
  /** How long the service asks to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** Of a write: call again with it. */
  readonly idempotencyKey: string | undefined;
  /** What belongs to the code, such as `order_id` or `available`. */
  readonly meta: Problem["meta"];
  /** The members of the request that are wrong. */
  readonly errors: Problem["errors"];
  /** On a refused signed probe: what is wrong with the way the string was built. */
  readonly diagnosis: Problem["diagnosis"];

  /** Made by the client; of use in a partner's own tests. */
  constructor(details: SabikaErrorDetails) {
    const { message, requestId } = details;
    const text = requestId === undefined ? message : `${message} (request ${requestId})`;
    super(text, details.cause === undefined ? undefined : { cause: details.cause });
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
