import type { OperationId } from "../operations.ts";

/** What a method of the clients gives back. */
export type Returns =
  /** The record that the operation answers. */
  | "record"
  /** A list whose pages are fetched when they are needed. */
  | "list"
  /** The text as it was answered, to be kept. */
  | "text"
  /** The same, byte for byte. */
  | "bytes"
  /** The text, or nothing while the answer is 202. */
  | "receipt"
  /** A reserve with its canonical text. */
  | "reserve"
  /** An event in the client's own form. */
  | "event"
  /** Events as they come, without end. */
  | "stream"
  /** The result of a signature test, for a body of the caller's. */
  | "probe";

/** A method that the clients have, each under this name in its language's spelling. */
export interface Method {
  /** In snake_case. */
  readonly name: string;
  readonly operation: OperationId;
  readonly returns: Returns;
  /** The name of the argument that stands for `{id}` in the path. */
  readonly id?: string;
  /** The name of the query's type, in languages that need one. */
  readonly query?: string;
  /** The member of the request that another method is for. */
  readonly without?: string;
  /** The media type to ask for, if it is not JSON. */
  readonly accept?: string;
  /** What it does, where the operation's own description is about HTTP. */
  readonly says?: string;
  /** Its name in the TypeScript SDK, if that has another. */
  readonly typescript?: string;
}

const keep = (what: string) => `Returns ${what}, to keep.`;

/** The methods of the clients, in the order in which they stand in them. */
export const METHODS: readonly Method[] = [
  {
    name: "health",
    operation: "getHealth",
    returns: "record",
    says: "Returns the state of the service, also while it is unavailable.",
  },
  { name: "prices", operation: "getPrices", returns: "record" },
  {
    name: "price_history",
    operation: "getPriceHistory",
    returns: "record",
    query: "HistoryQuery",
  },
  { name: "balances", operation: "getBalances", returns: "record" },
  {
    name: "fund",
    operation: "fund",
    returns: "record",
    says: "Credits money to the account at once; sandbox only.",
  },
  {
    name: "scenario",
    operation: "createScenario",
    returns: "record",
    says: "Sets what happens next in the sandbox, by exactly one of its arguments: a course of " +
      "the price, money on its way to you, the fate of your next events, or a later time.",
  },
  {
    name: "quote",
    operation: "createQuote",
    returns: "record",
    without: "amount_sar",
    says: "Requests a price for gold that is firm for 60 seconds. A quote reserves nothing.",
  },
  {
    name: "quote_for_money",
    operation: "createQuote",
    returns: "record",
    without: "gold_grams",
    says: "Quotes the most gold that the amount buys, or the least gold whose sale brings it.",
    typescript: "quote",
  },
  {
    name: "order",
    operation: "createOrder",
    returns: "record",
    says: "Executes a quote with a signed request. The order must be received before the quote " +
      "expires; it is executed once or never.",
  },
  { name: "withdraw", operation: "createWithdrawal", returns: "record" },
  {
    name: "cancel_withdrawal",
    operation: "cancelWithdrawal",
    returns: "record",
    id: "withdrawal_id",
    says: "Cancels a withdrawal; refused with `withdrawal_not_cancellable` once it is being paid.",
  },
  {
    name: "probe",
    operation: "probeSignature",
    returns: "probe",
    says: "Tests a signed request without moving money; a refusal has a `diagnosis`.",
  },
  { name: "get_quote", operation: "getQuote", returns: "record", id: "quote_id" },
  { name: "get_order", operation: "getOrder", returns: "record", id: "order_id" },
  { name: "get_order_evidence", operation: "getOrderEvidence", returns: "record", id: "order_id" },
  { name: "get_withdrawal", operation: "getWithdrawal", returns: "record", id: "withdrawal_id" },
  {
    name: "get_withdrawal_evidence",
    operation: "getWithdrawalEvidence",
    returns: "record",
    id: "withdrawal_id",
  },
  { name: "list_quotes", operation: "listQuotes", returns: "list", query: "ListFilter" },
  { name: "list_orders", operation: "listOrders", returns: "list", query: "ListFilter" },
  { name: "list_withdrawals", operation: "listWithdrawals", returns: "list", query: "ListFilter" },
  {
    name: "list_ledger_entries",
    operation: "listLedgerEntries",
    returns: "list",
    query: "EntryFilter",
  },
  {
    name: "statement",
    operation: "getStatement",
    returns: "record",
    id: "day",
    says: "Returns the balances and all ledger entries of a day in Riyadh, such as `2026-11-20`.",
  },
  {
    name: "statement_csv",
    operation: "getStatement",
    returns: "text",
    id: "day",
    accept: "text/csv",
    says: "Returns the ledger entries of a day in Riyadh as CSV (RFC 4180).",
  },
  {
    name: "vault",
    operation: "getVault",
    returns: "record",
    says: "Returns the pool of bars that your gold is a share of, as it is now.",
  },
  {
    name: "vault_version",
    operation: "getVaultVersion",
    returns: "bytes",
    id: "number",
    says: keep("a version of that pool") + " Its SHA-256 is the hash that receipts name.",
  },
  {
    name: "receipt",
    operation: "getOrderReceipt",
    returns: "receipt",
    id: "order_id",
    accept: "application/jose",
    says: keep("the receipt of an order") + " There is none yet while it cannot be signed.",
    typescript: "getReceipt",
  },
  {
    name: "receipt_keys",
    operation: "getReceiptKeys",
    returns: "text",
    says: keep("the JSON of all keys that ever signed receipts and reserves"),
  },
  {
    name: "attestation_keys",
    operation: "getAttestationKeys",
    returns: "text",
    says: keep("the JSON of all keys of inspectors and auditors"),
  },
  {
    name: "reserve",
    operation: "getReserve",
    returns: "reserve",
    id: "day",
    says: keep("the reserve of a day in Riyadh, such as `2026-11-20`"),
  },
  {
    name: "reserve_opening",
    operation: "getReserveOpening",
    returns: "text",
    id: "day",
    says: keep("the JSON of what your commitment in that reserve hides"),
  },
  { name: "get_event", operation: "getEvent", returns: "event", id: "event_id" },
  { name: "events", operation: "listEvents", returns: "list", query: "EventFilter" },
  {
    name: "delivery_attempts",
    operation: "listDeliveryAttempts",
    returns: "list",
    id: "event_id",
    query: "PageFilter",
  },
  {
    name: "stream_events",
    operation: "streamEvents",
    returns: "stream",
    says: "Iterates over the events behind a number, and then over new ones as they happen, " +
      "without end. A stream that breaks is opened again behind the last event.",
  },
  {
    name: "enable_webhook",
    operation: "enableWebhook",
    returns: "record",
    says: "Enables your webhook endpoint again, also after a 410, and has pending events tried " +
      "at once. `not_found` where you have no endpoint, or the operator has disabled it.",
  },
  {
    name: "redeliver",
    operation: "redeliverEvent",
    returns: "record",
    id: "event_id",
    says: "Has an event sent to your endpoint once more, even if it was delivered.",
  },
  { name: "redeliver_range", operation: "redeliverEvents", returns: "record" },
  { name: "request_certificate", operation: "requestCertificate", returns: "record" },
  { name: "request_signing_key", operation: "requestSigningKey", returns: "record" },
  {
    name: "get_requested_credential",
    operation: "getRequestedCredential",
    returns: "record",
    id: "credential_id",
  },
  {
    name: "list_requested_credentials",
    operation: "listRequestedCredentials",
    returns: "list",
    query: "ListFilter",
  },
  { name: "me", operation: "getMe", returns: "record" },
  { name: "limits", operation: "getLimits", returns: "record" },
];

/** Why no method is for an operation. */
export const WITHOUT_METHOD: Partial<Record<OperationId, string>> = {
  createToken: "tokens are fetched and renewed by themselves",
  revokeToken: "a token is kept in memory alone, and ends after ten minutes",
  getServerMetadata: "for OAuth libraries",
  getTokenKeys: "for who verifies tokens, which is the service alone",
  getOpenApi: "for generators of other clients",
  getReference: "for people",
};
