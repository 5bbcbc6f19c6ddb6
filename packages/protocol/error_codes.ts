/**
 * Every error code of the service and of the sidecar in front of it.
 *
 * A code without a status, a title or `retryable` does not compile, so the tables cannot drift apart.
 *
 * @see Spec §7; Decisions D31 and D32
 */
export const ERROR_CODES = [
  // 401: who is calling, and is it really them
  "client_certificate_required",
  "client_certificate_unknown",
  "token_missing",
  "token_invalid",
  "token_expired",
  "token_certificate_mismatch",
  "signature_missing",
  "signature_malformed",
  "signature_invalid",
  "timestamp_invalid",
  "timestamp_out_of_window",
  "nonce_invalid",
  "nonce_reused",
  // 403: known, but not let in
  "ip_not_allowed",
  "environment_mismatch",
  "partner_suspended",
  "insufficient_scope",
  // 400: the request cannot be read
  "malformed_json",
  "invalid_request",
  "idempotency_key_missing",
  "idempotency_key_invalid",
  "duplicate_header",
  "malformed_request",
  "simulation_invalid",
  // 404, 405, 408, 413, 415, 431: the envelope
  "not_found",
  "quote_not_found",
  "no_receipt",
  "method_not_allowed",
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type",
  "headers_too_large",
  // 409: it contradicts what has already happened
  "idempotency_key_conflict",
  "quote_expired",
  "quote_already_used",
  "withdrawal_not_cancellable",
  "key_in_use",
  "credential_request_pending",
  // 422: understood, but not possible for this partner
  "insufficient_funds",
  "insufficient_gold",
  "amount_below_minimum",
  "amount_above_maximum",
  "invalid_csr",
  // 429: too much at once
  "rate_limited",
  "too_many_open_quotes",
  "too_many_signed_requests",
  "too_many_failed_authentications",
  // 5xx: ours
  "price_unavailable",
  "inventory_unavailable",
  "service_unavailable",
  "outcome_unknown",
  "internal_error",
] as const;

/** A stable code of the closed list above, by which programs decide. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * The HTTP status of each code.
 *
 * The sidecar writes `outcome_unknown` with 502, 503 or 504; here is the status of a timeout upstream.
 */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  client_certificate_required: 401,
  client_certificate_unknown: 401,
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  token_certificate_mismatch: 401,
  signature_missing: 401,
  signature_malformed: 401,
  signature_invalid: 401,
  timestamp_invalid: 401,
  timestamp_out_of_window: 401,
  nonce_invalid: 401,
  nonce_reused: 401,
  ip_not_allowed: 403,
  environment_mismatch: 403,
  partner_suspended: 403,
  insufficient_scope: 403,
  malformed_json: 400,
  invalid_request: 400,
  idempotency_key_missing: 400,
  idempotency_key_invalid: 400,
  duplicate_header: 400,
  malformed_request: 400,
  simulation_invalid: 400,
  not_found: 404,
  quote_not_found: 404,
  no_receipt: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  headers_too_large: 431,
  idempotency_key_conflict: 409,
  quote_expired: 409,
  quote_already_used: 409,
  withdrawal_not_cancellable: 409,
  key_in_use: 409,
  credential_request_pending: 409,
  insufficient_funds: 422,
  insufficient_gold: 422,
  amount_below_minimum: 422,
  amount_above_maximum: 422,
  invalid_csr: 422,
  rate_limited: 429,
  too_many_open_quotes: 429,
  too_many_signed_requests: 429,
  too_many_failed_authentications: 429,
  price_unavailable: 503,
  inventory_unavailable: 503,
  service_unavailable: 503,
  outcome_unknown: 504,
  internal_error: 500,
};

/** A short sentence for people, the same at every occurrence (RFC 9457 §3.1.3). */
export const TITLE_OF: Readonly<Record<ErrorCode, string>> = {
  client_certificate_required: "A client certificate is required",
  client_certificate_unknown: "The client certificate is not registered or no longer valid",
  token_missing: "A bearer token is required",
  token_invalid: "The bearer token is not valid",
  token_expired: "The bearer token has expired",
  token_certificate_mismatch: "The bearer token is bound to another certificate",
  signature_missing: "X-JWS-Signature is missing",
  signature_malformed: "X-JWS-Signature is not a detached ES256 JWS of the required form",
  signature_invalid: "The signature does not fit this request",
  timestamp_invalid: "X-Timestamp is missing or is not a Unix time in seconds",
  timestamp_out_of_window: "X-Timestamp is too far from the time of the service",
  nonce_invalid: "X-Nonce is missing or has a wrong form",
  nonce_reused: "X-Nonce has been used before",
  ip_not_allowed: "Calls from this address are not allowed",
  environment_mismatch: "The credential belongs to another environment",
  partner_suspended: "The partner is suspended",
  insufficient_scope: "The bearer token does not allow this",
  malformed_json: "The body is not well-formed JSON",
  invalid_request: "The request is not valid",
  idempotency_key_missing: "Idempotency-Key is required",
  idempotency_key_invalid: "Idempotency-Key has a wrong form",
  duplicate_header: "A header that may come once came more than once",
  malformed_request: "The request is not well-formed HTTP",
  simulation_invalid: "Sabika-Simulate names nothing that can be simulated here",
  not_found: "There is nothing here",
  quote_not_found: "There is no such quote",
  no_receipt: "The order was executed before there were receipts",
  method_not_allowed: "The method is not allowed here",
  request_timeout: "The request did not arrive in time",
  payload_too_large: "The body is too large",
  unsupported_media_type: "The media type is not supported",
  headers_too_large: "The headers are too large",
  idempotency_key_conflict: "The Idempotency-Key was used with different parameters",
  quote_expired: "The quote has expired",
  quote_already_used: "The quote has been used by another order",
  withdrawal_not_cancellable: "The withdrawal can no longer be cancelled",
  key_in_use: "The key is or was somebody's",
  credential_request_pending: "Another request for such a credential is pending",
  insufficient_funds: "There is not enough money in the account",
  insufficient_gold: "There is not enough gold in the account",
  amount_below_minimum: "The amount is below the minimum",
  amount_above_maximum: "The amount is above the maximum",
  invalid_csr: "The signing request is wrong",
  rate_limited: "Too many requests",
  too_many_open_quotes: "Too many open quotes",
  too_many_signed_requests: "Too many signed requests in a day",
  too_many_failed_authentications: "Too many tokens or signatures were wrong",
  price_unavailable: "There is no current price",
  inventory_unavailable: "There is not enough gold in the vault",
  service_unavailable: "The service is not available at the moment; nothing was carried out",
  outcome_unknown: "The outcome is not known; repeat with the same Idempotency-Key",
  internal_error: "Something went wrong on our side",
};

/**
 * Tells whether the same request, signed afresh (new timestamp, nonce and signature, the same
 * Idempotency-Key), may succeed later without any change by the partner (Decision D31).
 *
 * - `nonce_reused` and `timestamp_out_of_window`: signing afresh solves both. The first answers a resend
 *   of identical bytes, the second a request that waited too long in a queue.
 * - `too_many_open_quotes`: open quotes end by themselves within a minute.
 * - `insufficient_funds` and `insufficient_gold`: the account has to be credited first.
 * - `token_expired`: the partner must get a new token; signing afresh does not help.
 * - `quote_expired`: a new quote makes another request.
 * - `partner_suspended`, `ip_not_allowed`, `client_certificate_unknown`: a person has to act.
 */
export const RETRYABLE: Readonly<Record<ErrorCode, boolean>> = {
  client_certificate_required: false,
  client_certificate_unknown: false,
  token_missing: false,
  token_invalid: false,
  token_expired: false,
  token_certificate_mismatch: false,
  signature_missing: false,
  signature_malformed: false,
  signature_invalid: false,
  timestamp_invalid: false,
  timestamp_out_of_window: true,
  nonce_invalid: false,
  nonce_reused: true,
  ip_not_allowed: false,
  environment_mismatch: false,
  partner_suspended: false,
  insufficient_scope: false,
  malformed_json: false,
  invalid_request: false,
  idempotency_key_missing: false,
  idempotency_key_invalid: false,
  duplicate_header: false,
  malformed_request: false,
  simulation_invalid: false,
  not_found: false,
  quote_not_found: false,
  no_receipt: false,
  method_not_allowed: false,
  request_timeout: true,
  payload_too_large: false,
  unsupported_media_type: false,
  headers_too_large: false,
  idempotency_key_conflict: false,
  quote_expired: false,
  quote_already_used: false,
  withdrawal_not_cancellable: false,
  key_in_use: false,
  credential_request_pending: false,
  insufficient_funds: false,
  insufficient_gold: false,
  amount_below_minimum: false,
  amount_above_maximum: false,
  invalid_csr: false,
  rate_limited: true,
  too_many_open_quotes: true,
  too_many_signed_requests: true,
  too_many_failed_authentications: true,
  price_unavailable: true,
  inventory_unavailable: true,
  service_unavailable: true,
  outcome_unknown: true,
  internal_error: true,
};

const KNOWN: ReadonlySet<string> = new Set(ERROR_CODES);

/** Returns whether `text` is a code of this version; an older client may receive newer codes. */
export function isErrorCode(text: string): text is ErrorCode {
  return KNOWN.has(text);
}
