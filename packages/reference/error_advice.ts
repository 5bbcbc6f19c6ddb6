import type { ErrorCode } from "@sabika/protocol";

/** What an error code means, and what its receiver does about it; Markdown. */
export interface ErrorAdvice {
  readonly means: string;
  readonly act: string;
}

/** For every code, so that a new one without advice does not compile. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  client_certificate_required: {
    means: "The connection had no client certificate.",
    act: "Present `client.crt` with `client.key`.",
  },
  client_certificate_unknown: {
    means: "The certificate is not registered, has ended or was revoked.",
    act: "Ask the operator for one, or open the kit that has the current one.",
  },
  token_missing: {
    means: "A call below `/v1/` came without a token.",
    act: "Send `Authorization: Bearer …`.",
  },
  token_invalid: {
    means: "The token cannot be read or is not of this service.",
    act: "Fetch a new one, and repeat.",
  },
  token_expired: {
    means: "The token is older than 600 seconds.",
    act: "Fetch a new one, and repeat.",
  },
  token_certificate_mismatch: {
    means: "The token was fetched with another certificate.",
    act: "Fetch one with the certificate that you call with.",
  },
  signature_missing: {
    means: "`X-JWS-Signature` is missing, and this route is signed.",
    act: "Sign the request: [signing](signing.md).",
  },
  signature_malformed: {
    means:
      "It is not `header..signature`, or the protected header is not exactly as it must be. `meta.reason` says what.",
    act: "Compare with the example in [signing](signing.md).",
  },
  signature_invalid: {
    means: "The signature does not fit the request, or none of your active keys.",
    act: "Send the same to `POST /v1/signed-probe`: its `diagnosis` names the mistake.",
  },
  timestamp_invalid: {
    means: "`X-Timestamp` is missing or is not Unix time in whole seconds.",
    act: "Send seconds, not milliseconds.",
  },
  timestamp_out_of_window: {
    means: "Your clock is more than 300 seconds off: `meta.server_time`, `meta.skew_seconds`.",
    act: "Correct the clock, sign afresh, and repeat.",
  },
  nonce_invalid: {
    means: "`X-Nonce` is missing, or not 16 to 128 visible ASCII characters.",
    act: "Send 32 random hexadecimal digits.",
  },
  nonce_reused: {
    means: "The same signed bytes came before.",
    act:
      "Sign afresh with the same `Idempotency-Key`: if the first was carried out you get its answer.",
  },
  ip_not_allowed: {
    means: "You call from an address that is not registered.",
    act: "Ask the operator to add it.",
  },
  environment_mismatch: {
    means: "A sandbox credential in production, or the reverse.",
    act: "Use the other kit.",
  },
  partner_suspended: {
    means: "The operator has suspended you.",
    act: "Ask why.",
  },
  insufficient_scope: {
    means: "The token, or its certificate, does not allow this: `meta.scope` is what is needed.",
    act: "Fetch a token with it, or ask the operator.",
  },
  malformed_json: {
    means: "The body is not JSON in UTF-8, or an object has a member twice.",
    act: "Look at how the body is written.",
  },
  invalid_request: {
    means:
      "`errors` names each member or parameter (JSON Pointer) and what is wrong with it. Unknown ones are refused too.",
    act: "Correct what it names.",
  },
  idempotency_key_missing: {
    means: "Every write needs an `Idempotency-Key`.",
    act: "Send one of your own for each thing that shall happen once.",
  },
  idempotency_key_invalid: {
    means: "The key does not have 1 to 255 visible ASCII characters.",
    act: "Use a UUID.",
  },
  duplicate_header: {
    means: "A header that may come once came twice.",
    act: "Look at the proxy in between.",
  },
  malformed_request: {
    means: "Not well-formed HTTP, or a path that would have to be normalised.",
    act: "Send the path as it is in the reference.",
  },
  simulation_invalid: {
    means:
      "In the sandbox: `Sabika-Simulate` names nothing, or nothing that applies to this request.",
    act: "Compare with [failures on demand](simulate.md).",
  },
  not_found: {
    means: "There is no such route, or nothing of yours with this id.",
    act: "Check the path and the id.",
  },
  quote_not_found: {
    means: "You have no quote with this id.",
    act: "Ask for a quote.",
  },
  method_not_allowed: {
    means: "The path has no such method.",
    act: "`Allow` says which there are.",
  },
  request_timeout: {
    means: "The request did not arrive whole in time.",
    act: "Repeat.",
  },
  payload_too_large: {
    means: "The body has more than 64 KiB.",
    act: "Send less.",
  },
  unsupported_media_type: {
    means: "The body is of another kind.",
    act:
      "Send `Content-Type: application/json`, to the token endpoint `application/x-www-form-urlencoded`.",
  },
  headers_too_large: {
    means: "The headers are too large.",
    act: "Send fewer.",
  },
  idempotency_key_conflict: {
    means:
      "The key was used with other parameters; `meta.resource_id` is what it made. Nothing was done.",
    act: "Look for the mistake in your program: a key belongs to one thing.",
  },
  quote_expired: {
    means: "The order arrived at or after `meta.expired_at`.",
    act: "Ask for a new quote.",
  },
  quote_already_used: {
    means: "Another order has used the quote: `meta.order_id`.",
    act: "One quote, one order: ask for a new quote.",
  },
  withdrawal_not_cancellable: {
    means: "The payment has been started or is over: `meta.status`.",
    act: "Wait for its end: `withdrawal.completed` or `withdrawal.failed`.",
  },
  insufficient_funds: {
    means: "`meta.needed` is more than `meta.available`.",
    act: "Send money, then repeat.",
  },
  insufficient_gold: {
    means: "You sell more than you hold: `meta.needed`, `meta.available`.",
    act: "Sell less.",
  },
  amount_below_minimum: {
    means: "The amount, or the gold that it is for, is below `meta.minimum`.",
    act: "See `GET /v1/limits`.",
  },
  amount_above_maximum: {
    means: "The amount, or the gold that it is for, is above `meta.maximum`.",
    act: "See `GET /v1/limits`.",
  },
  rate_limited: {
    means: "Too many requests of this kind.",
    act: "Wait for `Retry-After` seconds. `RateLimit` says how much is left.",
  },
  too_many_open_quotes: {
    means: "Too many quotes are open at once.",
    act: "Use them, or wait for `Retry-After`, when the oldest ends.",
  },
  too_many_signed_requests: {
    means:
      "More signed requests than your nonces may be kept for (`rates.nonces` of `GET /v1/limits`).",
    act: "Wait for `Retry-After`; ask the operator if you need more.",
  },
  too_many_failed_authentications: {
    means:
      "Too many tokens or signatures that came with this certificate were wrong, so none is looked at until `Retry-After`.",
    act: "Right ones cost nothing: look for the program that sends the wrong ones.",
  },
  price_unavailable: {
    means: "There is no current price, so there are no quotes.",
    act: "Repeat later; orders on open quotes still work.",
  },
  inventory_unavailable: {
    means: "The gold for it is not allocated to you at the moment.",
    act: "Repeat later, or ask the operator.",
  },
  service_unavailable: {
    means:
      "This request was not carried out. It says nothing of an earlier attempt with the same key whose answer was lost: that one may stand. An instance that knows of one, and the SDK, say `outcome_unknown` instead.",
    act: "Repeat after `Retry-After`.",
  },
  outcome_unknown: {
    means: "It may have been carried out. Also with status 502 and 503.",
    act: "Repeat with the same `Idempotency-Key` to find out.",
  },
  internal_error: {
    means: "Our mistake.",
    act: "Repeat with the same `Idempotency-Key`; send us the `request_id`.",
  },
};
