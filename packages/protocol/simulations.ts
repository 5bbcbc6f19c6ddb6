import { type ErrorCode, STATUS_OF } from "./error_codes.ts";

/** The effect of `Sabika-Simulate: NAME` in the sandbox (Decision D55). */
export interface Simulation {
  /** The methods and paths to which it applies, or every request of a known caller. */
  readonly on: readonly SimulatedRoute[] | "every request";
  /** The effect, for people. */
  readonly comes: string;
}

const QUOTES = "POST /v1/quotes";
const ORDERS = "POST /v1/orders";
const WITHDRAWALS = "POST /v1/withdrawals";
const CANCEL = "POST /v1/withdrawals/{id}/cancel";
const FUND = "POST /sandbox/fund";
const PROBE = "POST /v1/signed-probe";
const CREDENTIALS = [
  "POST /v1/credentials/certificate",
  "POST /v1/credentials/signing-key",
] as const;
const PRICES = "GET /v1/prices";
const RECEIPT = "GET /v1/orders/{id}/receipt";
/** A route on which a simulation may apply. */
export type SimulatedRoute =
  | "POST /v1/quotes"
  | "POST /v1/orders"
  | "POST /v1/withdrawals"
  | "POST /v1/withdrawals/{id}/cancel"
  | "POST /sandbox/fund"
  | "POST /v1/signed-probe"
  | "POST /v1/credentials/certificate"
  | "POST /v1/credentials/signing-key"
  | "GET /v1/prices"
  | "GET /v1/orders/{id}/receipt";

const WRITES = [QUOTES, ORDERS, WITHDRAWALS, CANCEL, FUND] as const;
const SIGNED = [ORDERS, WITHDRAWALS, CANCEL, PROBE] as const;

/** The routes that write an event. */
const EVENTFUL = [ORDERS, WITHDRAWALS, CANCEL, FUND] as const;

const EVERY = "every request" as const;
/** Refusals with these codes, before anything is carried out. */
const refused = <Code extends ErrorCode>(on: Simulation["on"], ...codes: Code[]) =>
  Object.fromEntries(codes.map((code) => [code, {
    on,
    comes: `${STATUS_OF[code]} \`${code}\`; nothing is carried out.`,
  }])) as { readonly [Name in Code]: Simulation };

/** Every code of Decision D32 except `simulation_invalid`, and other failures. */
export type SimulationName =
  | Exclude<ErrorCode, "simulation_invalid">
  | "slow_answer"
  | "lost_answer"
  | "old_quote"
  | "withdrawal_failed"
  | "withdrawal_completed_late"
  | "withdrawal_cancelled"
  | "webhook_twice"
  | "webhook_late"
  | "webhook_out_of_order"
  | "webhook_old_secret";

/** Every simulation by its name. */
export const SIMULATIONS: Readonly<Record<SimulationName, Simulation>> = {
  ...refused(
    EVERY,
    "client_certificate_required",
    "client_certificate_unknown",
    "token_missing",
    "token_invalid",
    "token_expired",
    "token_certificate_mismatch",
    "ip_not_allowed",
    "environment_mismatch",
    "partner_suspended",
    "insufficient_scope",
    "rate_limited",
    "too_many_failed_authentications",
    "duplicate_header",
    "malformed_request",
    "request_timeout",
    "headers_too_large",
    "not_found",
    "method_not_allowed",
    "service_unavailable",
    "internal_error",
  ),
  ...refused(
    SIGNED,
    "signature_missing",
    "signature_malformed",
    "signature_invalid",
    "timestamp_invalid",
    "timestamp_out_of_window",
    "nonce_invalid",
    "too_many_signed_requests",
  ),
  ...refused(
    WRITES,
    "idempotency_key_missing",
    "idempotency_key_invalid",
    "malformed_json",
    "invalid_request",
    "payload_too_large",
    "unsupported_media_type",
  ),
  ...refused([RECEIPT], "no_receipt"),
  ...refused(CREDENTIALS, "invalid_csr", "key_in_use", "credential_request_pending"),
  nonce_reused: { on: SIGNED, comes: "The nonce is spent a moment before: 401 `nonce_reused`." },
  idempotency_key_conflict: {
    on: WRITES,
    comes: "A quote is made under the same key a moment before: 409 with its id.",
  },
  price_unavailable: {
    on: [PRICES, QUOTES],
    comes: "There is no price source: 503 with `Retry-After`.",
  },
  amount_below_minimum: {
    on: [QUOTES],
    comes: "The bounds of quotes lie above the amount: 422 with the minimum.",
  },
  amount_above_maximum: {
    on: [QUOTES],
    comes: "The bounds of quotes lie below the amount: 422 with the maximum.",
  },
  too_many_open_quotes: { on: [QUOTES], comes: "No quote may be open: 429 with `Retry-After`." },
  old_quote: {
    on: [QUOTES],
    comes: "The quote was made 61 seconds ago: it is expired already. A fresh one is made with it.",
  },
  withdrawal_not_cancellable: {
    on: [CANCEL],
    comes: "The bank begins to pay a moment before: 409. The withdrawal stays `processing`.",
  },
  quote_not_found: { on: [ORDERS], comes: "The order names a quote that nobody has: 404." },
  quote_expired: {
    on: [ORDERS],
    comes: "The order is received 61 seconds later than it was: 409. The quote stays open.",
  },
  quote_already_used: {
    on: [ORDERS],
    comes: "Another order of yours executes the quote a moment before: 409 with its id.",
  },
  insufficient_funds: {
    on: [ORDERS, WITHDRAWALS],
    comes: "The order is for a quote of more than your money, the withdrawal of more than it: 422.",
  },
  insufficient_gold: {
    on: [ORDERS],
    comes: "The order is for a sale of more gold than you have: 422.",
  },
  inventory_unavailable: {
    on: [ORDERS],
    comes: "The order is for more gold than your allocation, nearly free of charge: 503.",
  },
  outcome_unknown: {
    on: WRITES,
    comes: "The request is carried out, and 503 says that nobody knows.",
  },
  slow_answer: { on: EVERY, comes: "The request is carried out, and answered 3 seconds later." },
  lost_answer: {
    on: EVERY,
    comes: "The request is carried out, and the connection closed in place of an answer.",
  },
  withdrawal_failed: {
    on: [WITHDRAWALS],
    comes: "The bank refuses it 2 seconds later: the money comes back.",
  },
  withdrawal_completed_late: { on: [WITHDRAWALS], comes: "The bank pays, 4 seconds later." },
  withdrawal_cancelled: {
    on: [WITHDRAWALS],
    comes: "The operator cancels it 2 seconds later: the money comes back.",
  },
  webhook_twice: { on: EVENTFUL, comes: "The event is sent, and again a second later." },
  webhook_late: { on: EVENTFUL, comes: "The event, and those after it, are sent 3 seconds later." },
  webhook_out_of_order: {
    on: EVENTFUL,
    comes: "The event is sent 3 seconds later, and those after it are not held up.",
  },
  webhook_old_secret: {
    on: EVENTFUL,
    comes: "The event is sent signed with the secret that ended last (a foreign one if none " +
      "has), and then with the right one.",
  },
};

/** The names of all simulations. */
export const SIMULATION_NAMES = Object.keys(SIMULATIONS) as readonly SimulationName[];

/** Returns whether a text names a simulation. */
export function isSimulationName(text: string): text is SimulationName {
  return Object.hasOwn(SIMULATIONS, text);
}
