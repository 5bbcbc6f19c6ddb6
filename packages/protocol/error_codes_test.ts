import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ERROR_CODES, isErrorCode, RETRYABLE, STATUS_OF, TITLE_OF } from "./mod.ts";

// Decision D32, as it stands there.
const D32: Record<number, string> = {
  401: "client_certificate_required client_certificate_unknown token_missing token_invalid " +
    "token_expired token_certificate_mismatch signature_missing signature_malformed " +
    "signature_invalid timestamp_invalid timestamp_out_of_window nonce_invalid nonce_reused",
  403: "ip_not_allowed environment_mismatch partner_suspended insufficient_scope",
  400: "malformed_json invalid_request idempotency_key_missing idempotency_key_invalid " +
    "duplicate_header malformed_request simulation_invalid",
  404: "not_found quote_not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  413: "payload_too_large",
  415: "unsupported_media_type",
  431: "headers_too_large",
  409: "idempotency_key_conflict quote_expired quote_already_used withdrawal_not_cancellable",
  422: "insufficient_funds insufficient_gold amount_below_minimum amount_above_maximum",
  429: "rate_limited too_many_open_quotes too_many_signed_requests too_many_failed_authentications",
  503: "price_unavailable inventory_unavailable service_unavailable",
  504: "outcome_unknown",
  500: "internal_error",
};

test("the codes and their statuses are those of Decision D32, no more and no fewer", () => {
  const expected = Object.entries(D32)
    .flatMap(([status, codes]) => codes.split(" ").map((code) => [code, Number(status)] as const));
  assertEquals(
    new Map<string, number>(ERROR_CODES.map((code) => [code, STATUS_OF[code]])),
    new Map(expected.sort(([a], [b]) => indexOf(a) - indexOf(b))),
  );
});

function indexOf(code: string): number {
  return (ERROR_CODES as readonly string[]).indexOf(code);
}

test("each code is named once, in snake_case", () => {
  assertEquals(new Set(ERROR_CODES).size, ERROR_CODES.length);
  for (const code of ERROR_CODES) assertMatch(code, /^[a-z]+(_[a-z]+)*$/);
});

test("every code has a title of its own, a sentence without a full stop", () => {
  assertEquals(new Set(Object.values(TITLE_OF)).size, ERROR_CODES.length);
  for (const code of ERROR_CODES) assertMatch(TITLE_OF[code], /^[A-Z].*[^.]$/);
});

test("what time or signing afresh cures is retryable, and nothing else", () => {
  assertEquals(ERROR_CODES.filter((code) => RETRYABLE[code]), [
    "timestamp_out_of_window",
    "nonce_reused",
    "request_timeout",
    "rate_limited",
    "too_many_open_quotes",
    "too_many_signed_requests",
    "too_many_failed_authentications",
    "price_unavailable",
    "inventory_unavailable",
    "service_unavailable",
    "outcome_unknown",
    "internal_error",
  ]);
});

test("isErrorCode() knows the list", () => {
  assert(isErrorCode("nonce_reused"));
  assert(!isErrorCode("toString"));
  assert(!isErrorCode("Nonce_reused"));
});
