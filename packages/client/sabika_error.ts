import type { ErrorCode, OauthErrorCode, Problem } from "@sabika/protocol";

/**
 * Codes of errors that the client itself finds:
 * - `connection_failed`: the last attempt got no answer;
 * - `request_timed_out`: the last attempt exceeded its time limit;
 * - `server_certificate_untrusted`: the server's certificate is not valid for its name under `ca.crt`;
 * - `unexpected_answer`: the answer is not of the API's form (but, for example, from a proxy);
 * - `signer_failed`: the signer of the kit failed or did not end in time, and nothing was sent;
 * - `client_closed`: the client was used after `close()`.
 */
export type LocalErrorCode =
  | "connection_failed"
  | "request_timed_out"
  | "server_certificate_untrusted"
  | "unexpected_answer"
  | "signer_failed"
  | "client_closed";

/** Codes of the service, of its token endpoint (RFC 6749 §5.2), and the client's own. */
export type SabikaErrorCode = ErrorCode | OauthErrorCode | LocalErrorCode;

/** The members of a {@link SabikaError}. */
export interface SabikaErrorDetails {
  /** The stable code, for comparisons. */
  code: SabikaErrorCode;
  /** A message for people, without the request's id. */
  message: string;
  /** The HTTP status; 0 if no answer came. */
  status?: number;
  /** The answer's `X-Request-Id`. */
  requestId?: string;
  /** Whether the same call may succeed later. */
  retryable?: boolean;
  /** The pause that `Retry-After` requests. */
  retryAfterSeconds?: number;
  /** The Idempotency-Key of a write, for repeating the call. */
  idempotencyKey?: string;
  /** Further values that belong to the code. */
  meta?: Problem["meta"];
  /** The members of the request that are wrong. */
  errors?: Problem["errors"];
  /** The diagnosis of a refused signed probe. */
  diagnosis?: Problem["diagnosis"];
  /** The underlying error. */
  cause?: unknown;
}

/**
 * The error that every failed call of the client throws, except that an abort by the caller's signal throws
 * the signal's reason.
 *
 * `code` is stable and meant to be compared; `message` is for people, ends with the request's id, and
 * holds no secret. `requestId` is the `X-Request-Id` of the answer, undefined if it has none.
 * `status` is 0 when no answer came. `retryable` says that the same call may succeed later as it is.
 * After a write whose outcome is unknown, repeat the call with `idempotencyKey`: the write is executed
 * at most once, however often it is repeated (Spec §5 Idempotency).
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
  /** The stable code, for comparisons. */
  readonly code: SabikaErrorCode;
  /** The HTTP status; 0 if no answer came. */
  readonly status: number;
  /** The answer's `X-Request-Id`, which helps the operator to find the request. */
  readonly requestId: string | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** How long the service asks to wait before a repeat. */
  readonly retryAfterSeconds: number | undefined;
  /** The Idempotency-Key of a write, for repeating the call. */
  readonly idempotencyKey: string | undefined;
  /** Further values that belong to the code, such as `order_id` or `available`. */
  readonly meta: Problem["meta"];
  /** The members of the request that are wrong. */
  readonly errors: Problem["errors"];
  /** The diagnosis of a refused signed probe: what is wrong with the signed string. */
  readonly diagnosis: Problem["diagnosis"];

  /** Called by the client; public for partners' own tests. */
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
