/**
 * Everything that the service and its partners must agree on. It imports only canonical and jws, so that
 * Node, Deno, k6 and browsers can load it as it is. It re-exports both, so that other code needs only
 * this module.
 */
export * from "../canonical/mod.ts";
export * from "../jws/mod.ts";
export * from "./amounts.ts";
export * from "./bytes.ts";
export * from "./canonical_json.ts";
export * from "./certificate_hash.ts";
export * from "./diagnosis.ts";
export * from "./diagnosis_forms.ts";
export * from "./error_codes.ts";
export * from "./headers.ts";
export * from "./idempotency_key.ts";
export * from "./ids.ts";
export * from "./json.ts";
export * from "./json_text.ts";
export * from "./judge_evidence.ts";
export * from "./limits.ts";
export * from "./parse_json.ts";
export * from "./problem.ts";
export * from "./refusal.ts";
export * from "./request_fields.ts";
export * from "./request_form.ts";
export * from "./shape.ts";
export * from "./form.ts";
export * from "./evidence_file.ts";
export * from "./resources/limits.ts";
export * from "./resources/balances.ts";
export * from "./resources/environment.ts";
export * from "./resources/delivery_attempt.ts";
export * from "./resources/event.ts";
export * from "./resources/evidence.ts";
export * from "./resources/funding.ts";
export * from "./resources/health.ts";
export * from "./resources/ledger_entry.ts";
export * from "./resources/me.ts";
export * from "./resources/order.ts";
export * from "./resources/page.ts";
export * from "./resources/price.ts";
export * from "./resources/price_history.ts";
export * from "./resources/probe.ts";
export * from "./resources/quote.ts";
export * from "./resources/received_event.ts";
export { PRICE_SOURCES, type PriceSource, type TradeParts } from "./resources/trade_parts.ts";
export * from "./resources/redelivery.ts";
export * from "./resources/side.ts";
export * from "./resources/statement.ts";
export * from "./resources/token.ts";
export * from "./resources/webhook_endpoint.ts";
export * from "./resources/withdrawal.ts";
export * from "./signed_request.ts";
export * from "./simulations.ts";
export * from "./times.ts";
export * from "./verify_evidence.ts";
export * from "./webhook_signature.ts";
