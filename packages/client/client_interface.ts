import type {
  AttestationKey,
  Balances,
  DeliveryAttempt,
  Evidence,
  Funding,
  FundingRequest,
  Health,
  LedgerEntry,
  Limits,
  Me,
  Order,
  OrderStatus,
  PoolVersion,
  Price,
  PriceHistory,
  PublishedReserve,
  Quote,
  QuoteRequest,
  QuoteStatus,
  ReceiptKey,
  ReceivedEvent,
  Redelivery,
  RedeliveryRequest,
  RequestedCredential,
  RequestedCredentialStatus,
  ReserveOpening,
  Scenario,
  ScenarioRequest,
  SignedProbe,
  SigningKey,
  SimulationName,
  Statement,
  Vault,
  WebhookEnabled,
  Withdrawal,
  WithdrawalStatus,
} from "@sabika/protocol";
import type { RetryPolicy } from "./backoff.ts";
import type { Exchange } from "./call.ts";
import type { Kit } from "./kit.ts";
import type { EventFilter, HistoryQuery, ListFilter } from "./list_query.ts";
import type { Pages } from "./pages.ts";
import type { FetchLike } from "./transport.ts";

/** Options for connecting and repeating calls; each has a default. */
export interface ClientOptions {
  /** Replaces the runtime's connection with the kit's certificate. */
  fetch?: FetchLike;
  /** The HTTP proxy to the service, as in `TransportOptions`; without effect if there is a `fetch`. */
  proxy?: string;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
  /** Random bytes, for nonces, keys and pauses. */
  random?: (length: number) => Uint8Array;
  /** Waits between attempts; rejects when the signal aborts. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A text before the SDK's name in `User-Agent`. */
  userAgent?: string;
  /** The time limit of an attempt, including connecting and reading; 15 000 by default. */
  timeoutMs?: number;
  /** Members that replace those of `DEFAULT_RETRY`. */
  retry?: Partial<RetryPolicy>;
  /** Called after every attempt, including token requests. */
  observe?: (exchange: Exchange) => void;
}

/** The options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal;
  /**
   * Sandbox only: a failure that the service simulates (Decision D55), only at the call's first
   * attempt, so that the client's reaction can be tested too.
   */
  simulate?: SimulationName;
}

/** The options of calls that change something. */
export interface WriteOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters; by default each call makes a new one. If you store your own with your
   * record of the trade, your program can repeat the call after a restart without a second effect.
   */
  idempotencyKey?: string;
}

/** An order to place; the service returns `clientReference` in the order and does not interpret it. */
export interface NewOrder {
  /** The id of an open quote; a text that is none is refused with `quote_not_found`. */
  quoteId: string;
  /** Your reference for the order, 1 to 64 characters; null: none. */
  clientReference?: string | null;
}

/** A withdrawal to request. */
export interface NewWithdrawal {
  /** The amount to pay out. */
  amountHalalas: bigint;
  /** Your reference for the withdrawal, 1 to 64 characters; null: none. */
  clientReference?: string | null;
}

/** A credential to request (Decision D120). */
export interface NewCredential {
  /** A certificate signing request made with the new key, PEM; `sabika-client keys` makes one. */
  csr: string;
  /** How long the old one is to stay valid beside the new one; null: a week. */
  overlapSeconds?: number | null;
}

/**
 * The service's API for partners. Every method throws `SabikaError` if the call fails, the signal's reason if
 * it aborts, and TypeError for an id or a day that has other characters than letters, digits, `_` and `-`.
 */
export interface Client {
  /** Returns the state of the service, also while it is unavailable (Decision D16). */
  health(options?: CallOptions): Promise<Health>;
  /** Returns the indicative prices of a gram; only a quote's price is firm. */
  prices(options?: CallOptions): Promise<Price>;
  /** Returns the course of the mid price: the last 100 hours, or as the query says. */
  priceHistory(query?: HistoryQuery, options?: CallOptions): Promise<PriceHistory>;
  /** Returns the pool of bars that your gold is a share of, as it is now (Decision D102). */
  vault(options?: CallOptions): Promise<Vault>;
  /** Returns a version of that pool; the SHA-256 of `writePoolVersion(version)` is its hash. */
  vaultVersion(number: number, options?: CallOptions): Promise<PoolVersion>;
  /** Returns the reserve of a day in Riyadh, such as `2026-11-20`, to keep and for `verifyReserve` (Decision D105). */
  reserve(day: string, options?: CallOptions): Promise<PublishedReserve>;
  /** Returns what your commitment in that reserve hides, to keep and for `verifyReserve`. */
  reserveOpening(day: string, options?: CallOptions): Promise<ReserveOpening>;
  /** Credits money to the account at once; sandbox only. */
  fund(request: FundingRequest, options?: WriteOptions): Promise<Funding>;
  /** Sets what happens next in the sandbox: price, money on its way, events (Decision D111). */
  scenario(request: ScenarioRequest, options?: WriteOptions): Promise<Scenario>;
  /** Requests a quote, whose price is firm for 60 seconds (Decision D10). */
  quote(request: QuoteRequest, options?: WriteOptions): Promise<Quote>;
  /** Executes a quote with a signed request; repeats with the same key execute it once (Decision D11). */
  order(request: NewOrder, options?: WriteOptions): Promise<Order>;
  /** Requests a payout to the settlement IBAN with a signed request (Decision D13). */
  withdraw(request: NewWithdrawal, options?: WriteOptions): Promise<Withdrawal>;
  /** Cancels a withdrawal; refused with `withdrawal_not_cancellable` once it is being paid. */
  cancelWithdrawal(id: string, options?: WriteOptions): Promise<Withdrawal>;
  /** Tests a signed request with this body, `{}` by default, without moving money. */
  probe(body?: string, options?: CallOptions): Promise<SignedProbe>;
  /** Returns the balances of money and gold. */
  balances(options?: CallOptions): Promise<Balances>;
  /** Returns a quote by its id. */
  getQuote(id: string, options?: CallOptions): Promise<Quote>;
  /** Returns an order by its id. */
  getOrder(id: string, options?: CallOptions): Promise<Order>;
  /** Returns a withdrawal by its id. */
  getWithdrawal(id: string, options?: CallOptions): Promise<Withdrawal>;
  /** Returns the signed requests that made an order, for `verifyEvidence`. */
  getOrderEvidence(id: string, options?: CallOptions): Promise<Evidence>;
  /**
   * Returns the receipt of an order, a compact JWS to keep and for `verifyReceipt`; undefined while it cannot be
   * signed. Refused with `no_receipt` for an order of before receipts.
   */
  getReceipt(id: string, options?: CallOptions): Promise<string | undefined>;
  /** Returns all keys that ever signed receipts, to keep and for `verifyReceipt`. */
  receiptKeys(options?: CallOptions): Promise<readonly ReceiptKey[]>;
  /** Returns all keys of inspectors and auditors, to keep and for `verifyCount`. */
  attestationKeys(options?: CallOptions): Promise<readonly AttestationKey[]>;
  /** Returns the signed requests that made a withdrawal, and cancelled it. */
  getWithdrawalEvidence(id: string, options?: CallOptions): Promise<Evidence>;
  /** Returns an event by its id, in the form of its webhook. */
  getEvent(id: string, options?: CallOptions): Promise<ReceivedEvent>;
  /** Lists the quotes, newest first. */
  listQuotes(filter?: ListFilter<QuoteStatus>, options?: CallOptions): Pages<Quote>;
  /** Lists the orders, newest first. */
  listOrders(filter?: ListFilter<OrderStatus>, options?: CallOptions): Pages<Order>;
  /** Lists the withdrawals, newest first. */
  listWithdrawals(filter?: ListFilter<WithdrawalStatus>, options?: CallOptions): Pages<Withdrawal>;
  /** Lists the entries of the ledger, newest first. */
  listLedgerEntries(filter?: ListFilter, options?: CallOptions): Pages<LedgerEntry>;
  /** Lists the events, newest first; with `afterSequence` oldest first. */
  events(filter?: EventFilter, options?: CallOptions): Pages<ReceivedEvent>;
  /** Lists the attempts to deliver an event, newest first. */
  deliveryAttempts(
    eventId: string,
    page?: Pick<ListFilter, "limit" | "cursor">,
    options?: CallOptions,
  ): Pages<DeliveryAttempt>;
  /**
   * Iterates over the events after a sequence number, and then over new ones as they happen, without
   * end. A stream that breaks is opened again after the last event.
   */
  streamEvents(
    from: { afterSequence: number },
    options?: Pick<CallOptions, "signal">,
  ): AsyncIterable<ReceivedEvent>;
  /** Enables the partner's webhook endpoint again with a signed request, also after a 410. */
  enableWebhook(options?: WriteOptions): Promise<WebhookEnabled>;
  /** Requests that an event be sent to the webhook endpoint again. */
  redeliver(eventId: string, options?: WriteOptions): Promise<void>;
  /** Requests that a range of at most a thousand events be sent again. */
  redeliverRange(range: RedeliveryRequest, options?: WriteOptions): Promise<Redelivery>;
  /** Returns the entries of a day (`YYYY-MM-DD` in Riyadh) with its opening and closing balances. */
  statement(day: string, options?: CallOptions): Promise<Statement>;
  /** Returns the statement of {@link Client.statement} as CSV. */
  statementCsv(day: string, options?: CallOptions): Promise<string>;
  /** Requests a certificate in place of the kit's, with a signed request; the operator decides (Decision D120). */
  requestCertificate(request: NewCredential, options?: WriteOptions): Promise<RequestedCredential>;
  /** Requests that a key sign in place of the kit's, which signs this request. */
  requestSigningKey(request: NewCredential, options?: WriteOptions): Promise<RequestedCredential>;
  /** Returns a requested credential by its id; once a certificate is issued, with it. */
  getRequestedCredential(id: string, options?: CallOptions): Promise<RequestedCredential>;
  /** Lists the requested credentials, newest first. */
  listRequestedCredentials(
    filter?: ListFilter<RequestedCredentialStatus>,
    options?: CallOptions,
  ): Pages<RequestedCredential>;
  /** Returns the partner that the service has identified, and the expiry of its credentials. */
  me(options?: CallOptions): Promise<Me>;
  /** Returns the limits of amounts and request rates. */
  limits(options?: CallOptions): Promise<Limits>;
  /**
   * Goes on with another kit of the same partner, such as one with a new certificate. Attempts under way end with the
   * old one; later ones, also at calls under way, have the new certificate, key and token, and streams open again.
   * Resolves when the old one is used no more and its connections are closed.
   */
  reload(kit: Kit<SigningKey>): Promise<void>;
  /** Ends calls in flight and closes the connections; later calls fail with `client_closed`. */
  close(): Promise<void>;
}
