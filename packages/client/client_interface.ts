import type {
  Balances,
  DeliveryAttempt,
  Funding,
  FundingRequest,
  Health,
  LedgerEntry,
  Limits,
  Me,
  Order,
  Price,
  Quote,
  QuoteRequest,
  ReceivedEvent,
  Redelivery,
  RedeliveryRequest,
  SignedProbe,
  SimulationName,
  Statement,
  WebhookEnabled,
  Withdrawal,
} from "@sabika/protocol";
import type { RetryPolicy } from "./backoff.ts";
import type { Exchange } from "./call.ts";
import type { EventFilter, ListFilter } from "./list_query.ts";
import type { Pages } from "./pages.ts";
import type { FetchLike } from "./transport.ts";

/** How a client connects and repeats; each has a default. */
export interface ClientOptions {
  /** Takes the place of the runtime's connection with the kit's certificate. */
  fetch?: FetchLike;
  /** Epoch milliseconds. */
  now?: () => number;
  /** Random bytes, for nonces, keys and pauses. */
  random?: (length: number) => Uint8Array;
  /** Waits between attempts; rejects when the signal aborts. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Put before the SDK's own name in `User-Agent`. */
  userAgent?: string;
  /** Of one attempt, connection and answer together; 15 000 by default. */
  timeoutMs?: number;
  /** What is left out is as in `DEFAULT_RETRY`. */
  retry?: Partial<RetryPolicy>;
  /** Called after every attempt, token fetches included. */
  observe?: (exchange: Exchange) => void;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call early; it then throws the signal's reason. */
  signal?: AbortSignal;
  /**
   * Sandbox only: the failure that the service brings about (Decision D55), at the call's first
   * attempt alone, so that what the client does about it is seen too.
   */
  simulate?: SimulationName;
}

/** What a call that changes something takes. */
export interface WriteOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters; made afresh a call unless given. Keep your own beside your
   * record of the trade, and a restart of your program can ask again without a second effect.
   */
  idempotencyKey?: string;
}

/** An order to place; `clientReference` comes back in the order, and says nothing to the service. */
export interface NewOrder {
  /** Of a quote that is still open. */
  quoteId: Quote["id"];
  /** Your own name for it, at most 128 characters. */
  clientReference?: string | null;
}

/** A withdrawal to ask for. */
export interface NewWithdrawal {
  /** What is paid out. */
  amountHalalas: bigint;
  /** Your own name for it. */
  clientReference?: string | null;
}

/** The service as a partner calls it. Every method throws `SabikaError` when it cannot do its work. */
export interface Client {
  /** The service and what it stands on. A service that is not well answers too (Decision D16). */
  health(options?: CallOptions): Promise<Health>;
  /** The current prices of a gram; a quote makes one firm. */
  prices(options?: CallOptions): Promise<Price>;
  /** Puts money into the account at once; sandbox only. */
  fund(request: FundingRequest, options?: WriteOptions): Promise<Funding>;
  /** Asks for a price that is firm for 60 seconds (Decision D10). */
  quote(request: QuoteRequest, options?: WriteOptions): Promise<Quote>;
  /** Executes a quote, signed; with the same key it is executed once (Decision D11). */
  order(request: NewOrder, options?: WriteOptions): Promise<Order>;
  /** Pays money out to the settlement IBAN, signed (Decision D13). */
  withdraw(request: NewWithdrawal, options?: WriteOptions): Promise<Withdrawal>;
  /** Takes a withdrawal back; refused with `withdrawal_not_cancellable` once it is being paid. */
  cancelWithdrawal(id: string, options?: WriteOptions): Promise<Withdrawal>;
  /** Tries the whole signature check without moving money. */
  probe(body?: string, options?: CallOptions): Promise<SignedProbe>;
  /** Money and gold in the account. */
  balances(options?: CallOptions): Promise<Balances>;
  /** A quote by its id. */
  getQuote(id: string, options?: CallOptions): Promise<Quote>;
  /** An order by its id. */
  getOrder(id: string, options?: CallOptions): Promise<Order>;
  /** A withdrawal by its id. */
  getWithdrawal(id: string, options?: CallOptions): Promise<Withdrawal>;
  /** An event by its id, as its webhook has it. */
  getEvent(id: string, options?: CallOptions): Promise<ReceivedEvent>;
  /** The quotes, newest first. */
  listQuotes(filter?: ListFilter, options?: CallOptions): Pages<Quote>;
  /** The orders, newest first. */
  listOrders(filter?: ListFilter, options?: CallOptions): Pages<Order>;
  /** The withdrawals, newest first. */
  listWithdrawals(filter?: ListFilter, options?: CallOptions): Pages<Withdrawal>;
  /** The entries of the account, newest first. */
  listLedgerEntries(filter?: ListFilter, options?: CallOptions): Pages<LedgerEntry>;
  /** The events, newest first; behind `afterSequence` oldest first. */
  events(filter?: EventFilter, options?: CallOptions): Pages<ReceivedEvent>;
  /** How an event's delivery was tried: each attempt, newest first. */
  deliveryAttempts(
    eventId: string,
    page?: Pick<ListFilter, "limit" | "cursor">,
    options?: CallOptions,
  ): Pages<DeliveryAttempt>;
  /**
   * The events behind a number, and each further one when it happens, in sequence, without end. A
   * stream that breaks is opened again behind the last event.
   */
  streamEvents(
    from: { afterSequence: number },
    options?: Pick<CallOptions, "signal">,
  ): AsyncIterable<ReceivedEvent>;
  /** Has the partner's own webhook endpoint delivered to again, after a 410 too, signed. */
  enableWebhook(options?: WriteOptions): Promise<WebhookEnabled>;
  /** Has an event sent to the webhook endpoint again. */
  redeliver(eventId: string, options?: WriteOptions): Promise<void>;
  /** Has at most a thousand events sent again, by their numbers. */
  redeliverRange(range: RedeliveryRequest, options?: WriteOptions): Promise<Redelivery>;
  /**
   * A day's movements and its opening and closing balances.
   *
   * @param day `YYYY-MM-DD` in Riyadh
   */
  statement(day: string, options?: CallOptions): Promise<Statement>;
  /** A day's statement as CSV, with what {@link Client.statement} has. */
  statementCsv(day: string, options?: CallOptions): Promise<string>;
  /** Who the service takes the caller for, and until when the credentials are good. */
  me(options?: CallOptions): Promise<Me>;
  /** Amounts and rates that the service allows. */
  limits(options?: CallOptions): Promise<Limits>;
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>;
}
