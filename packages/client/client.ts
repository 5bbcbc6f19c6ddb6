import {
  BALANCES,
  eventFromJson,
  FUNDING,
  fundingRequestToJson,
  HEALTH,
  LEDGER_ENTRY,
  LIMITS,
  ME,
  ORDER,
  orderRequestToJson,
  pageFromJson,
  parseJson,
  PRICE,
  QUOTE,
  quoteRequestToJson,
  SIGNED_PROBE,
  STATEMENT,
  TOKEN,
  uuidV7,
  WITHDRAWAL,
  withdrawalRequestToJson,
} from "@sabika/protocol";
import type {
  Balances,
  Funding,
  FundingRequest,
  Health,
  JsonValue,
  LedgerEntry,
  Limits,
  Me,
  Order,
  Page,
  Price,
  Quote,
  QuoteRequest,
  ReceivedEvent,
  SignedProbe,
  Statement,
  Withdrawal,
} from "@sabika/protocol";
import { AccessTokenHolder } from "./access_token.ts";
import { DEFAULT_RETRY, wait } from "./backoff.ts";
import type { RetryPolicy } from "./backoff.ts";
import type { Call, Exchange } from "./call.ts";
import { isCertificateRefused } from "./certificate_refusal.ts";
import type { Kit } from "./kit.ts";
import { listQuery } from "./list_query.ts";
import type { ListFilter } from "./list_query.ts";
import { send } from "./send.ts";
import type { SenderParts, SenderState } from "./sender_parts.ts";
import { tokenCall } from "./token_call.ts";
import { type FetchLike, openTransport, type Transport } from "./transport.ts";

export interface ClientOptions {
  /** Takes the place of the runtime's connection with the kit's certificate. */
  fetch?: FetchLike;
  /** Epoch milliseconds. */
  now?: () => number;
  random?: (length: number) => Uint8Array;
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

export interface CallOptions {
  signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters; made afresh a call unless given. Keep your own beside your
   * record of the trade, and a restart of your program can ask again without a second effect.
   */
  idempotencyKey?: string;
}

/** An order to place; `clientReference` comes back in the order, and says nothing to the service. */
export interface NewOrder {
  quoteId: Quote["id"];
  clientReference?: string | null;
}

export interface NewWithdrawal {
  amountHalalas: bigint;
  clientReference?: string | null;
}

/** The service as a partner calls it. Every method throws `SabikaError` when it cannot do its work. */
export interface Client {
  health(options?: CallOptions): Promise<Health>;
  prices(options?: CallOptions): Promise<Price>;
  /** Sandbox only. */
  fund(request: FundingRequest, options?: WriteOptions): Promise<Funding>;
  quote(request: QuoteRequest, options?: WriteOptions): Promise<Quote>;
  order(request: NewOrder, options?: WriteOptions): Promise<Order>;
  withdraw(request: NewWithdrawal, options?: WriteOptions): Promise<Withdrawal>;
  /** Tries the whole signature check without moving money. */
  probe(body?: string, options?: CallOptions): Promise<SignedProbe>;
  balances(options?: CallOptions): Promise<Balances>;
  getQuote(id: string, options?: CallOptions): Promise<Quote>;
  getOrder(id: string, options?: CallOptions): Promise<Order>;
  getWithdrawal(id: string, options?: CallOptions): Promise<Withdrawal>;
  getEvent(id: string, options?: CallOptions): Promise<ReceivedEvent>;
  listQuotes(filter?: ListFilter, options?: CallOptions): Promise<Page<Quote>>;
  listOrders(filter?: ListFilter, options?: CallOptions): Promise<Page<Order>>;
  listWithdrawals(filter?: ListFilter, options?: CallOptions): Promise<Page<Withdrawal>>;
  listLedgerEntries(filter?: ListFilter, options?: CallOptions): Promise<Page<LedgerEntry>>;
  /** The events, newest first. */
  events(filter?: ListFilter, options?: CallOptions): Promise<Page<ReceivedEvent>>;
  /** Has an event sent to the webhook endpoint again. */
  redeliver(eventId: string, options?: WriteOptions): Promise<void>;
  /** @param day `YYYY-MM-DD` in Riyadh */
  statement(day: string, options?: CallOptions): Promise<Statement>;
  statementCsv(day: string, options?: CallOptions): Promise<string>;
  me(options?: CallOptions): Promise<Me>;
  limits(options?: CallOptions): Promise<Limits>;
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>;
}

const USER_AGENT = "sabika-client/1.0.0";
const TIMEOUT_MS = 15_000;

/**
 * Makes a client from a partner kit.
 *
 * @example
 * const client = createClient(await openKit(".sabika/partners/demo"));
 * const quote = await client.quote({ side: "buy", goldMicrograms: grams("1.5") });
 * const order = await client.order({ quoteId: quote.id });
 * await client.close();
 */
export function createClient(kit: Kit, options: ClientOptions = {}): Client {
  const state: SenderState = { clockOffsetMs: 0, certificateTaken: false };
  const { parts, transport } = openSender(kit, options, state);
  const { get, post } = callsOf(parts, state);
  const signed = { signed: true, token: true };

  return {
    health: ({ signal } = {}) => {
      const read = reading(HEALTH.read);
      // 503 is an answer here, not a failure (Decision D16).
      return send(parts, state, {
        method: "GET",
        path: "/health",
        token: false,
        read,
        alsoStatus: 503,
        signal,
      });
    },
    prices: (options) => get("/v1/prices", PRICE.read, options),
    // The certificate says who funds (Decision D18); a token is checked when it is sent, so none is.
    fund: (request, options) =>
      post("/sandbox/fund", fundingRequestToJson(request), FUNDING.read, options, {
        token: false,
      }),
    quote: (request, options) =>
      post("/v1/quotes", quoteRequestToJson(request), QUOTE.read, options),
    order: ({ quoteId, clientReference = null }, options) =>
      post(
        "/v1/orders",
        orderRequestToJson({ quoteId, clientReference }),
        ORDER.read,
        options,
        signed,
      ),
    withdraw: ({ amountHalalas, clientReference = null }, options) => {
      const json = withdrawalRequestToJson({ amountHalalas, clientReference });
      return post("/v1/withdrawals", json, WITHDRAWAL.read, options, signed);
    },
    probe: (body = "{}", options) =>
      post("/v1/signed-probe", body, SIGNED_PROBE.read, options, signed),
    balances: (options) => get("/v1/balances", BALANCES.read, options),
    getQuote: async (id, options) => await get(`/v1/quotes/${segment(id)}`, QUOTE.read, options),
    getOrder: async (id, options) => await get(`/v1/orders/${segment(id)}`, ORDER.read, options),
    getWithdrawal: async (id, options) =>
      await get(`/v1/withdrawals/${segment(id)}`, WITHDRAWAL.read, options),
    getEvent: async (id, options) => await get(`/v1/events/${segment(id)}`, eventFromJson, options),
    listQuotes: (filter, options) =>
      get("/v1/quotes" + listQuery(filter), page(QUOTE.read), options),
    listOrders: (filter, options) =>
      get("/v1/orders" + listQuery(filter), page(ORDER.read), options),
    listWithdrawals: (filter, options) =>
      get("/v1/withdrawals" + listQuery(filter), page(WITHDRAWAL.read), options),
    listLedgerEntries: (filter, options) =>
      get("/v1/ledger-entries" + listQuery(filter), page(LEDGER_ENTRY.read), options),
    events: (filter, options) =>
      get("/v1/events" + listQuery(filter), page(eventFromJson), options),
    redeliver: async (id, options) => {
      await post(`/v1/events/${segment(id)}/redeliver`, "{}", () => {}, options);
    },
    statement: async (day, options) =>
      await get(`/v1/statements/${segment(day)}`, STATEMENT.read, options),
    statementCsv: async (day, { signal } = {}) => {
      const path = `/v1/statements/${segment(day)}`;
      return await send(parts, state, {
        method: "GET",
        path,
        accept: "text/csv",
        token: true,
        read: (text) => text,
        signal,
      });
    },
    me: (options) => get("/v1/me", ME.read, options),
    limits: (options) => get("/v1/limits", LIMITS.read, options),
    close: async () => {
      parts.closing.closed = true;
      for (const end of parts.closing.ends) end();
      await transport?.close();
    },
  };
}

/** What every call of a client is sent with; the transport when the client opened its own. */
function openSender(
  kit: Kit,
  options: ClientOptions,
  state: SenderState,
): { parts: SenderParts; transport: Transport | undefined } {
  const now = options.now ?? Date.now;
  const random = options.random ?? ((length) => crypto.getRandomValues(new Uint8Array(length)));
  const transport = options.fetch ? undefined : openTransport(kit);
  let asking: Promise<boolean> | undefined;
  let accepted = false;
  const parts: SenderParts = {
    kit,
    fetch: options.fetch ?? transport!.fetch,
    now,
    random,
    wait: options.wait ?? wait,
    isCertificateRefused: async () => {
      // One question at a time; that it is not refused need not be found out twice.
      if (!transport || accepted) return false;
      asking ??= isCertificateRefused(kit.baseUrl, kit).finally(() => asking = undefined);
      const refused = await asking;
      accepted = !refused;
      return refused;
    },
    token: new AccessTokenHolder(
      () => send(parts, state, { ...tokenCall(kit), read: reading(TOKEN.read) }),
      now,
    ),
    retry: { ...DEFAULT_RETRY, ...options.retry },
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    userAgent: options.userAgent === undefined ? USER_AGENT : `${options.userAgent} ${USER_AGENT}`,
    closing: { closed: false, ends: new Set() },
    observe: options.observe,
  };
  return { parts, transport };
}

/** The two kinds of call that nearly every method makes. */
function callsOf(parts: SenderParts, state: SenderState) {
  const { now, random } = parts;

  const get = <T>(
    path: string,
    read: (value: JsonValue) => T,
    { signal }: CallOptions = {},
  ) => send<T>(parts, state, { method: "GET", path, token: true, read: reading(read), signal });
  const post = <T>(
    path: string,
    json: string,
    read: (value: JsonValue) => T,
    { signal, idempotencyKey = uuidV7(now(), random) }: WriteOptions = {},
    how: Pick<Call<T>, "signed" | "token"> = { token: true },
  ) => {
    const body = { text: json, mediaType: "application/json" };
    return send<T>(parts, state, {
      method: "POST",
      path,
      body,
      ...how,
      idempotencyKey,
      read: reading(read),
      signal,
    });
  };
  return { get, post };
}

function reading<T>(read: (value: JsonValue) => T): (text: string) => T {
  return (text) => read(parseJson(text));
}

function page<T>(read: (value: JsonValue) => T): (value: JsonValue) => Page<T> {
  return (value) => pageFromJson(value, read);
}

/** A part of a path that the caller gives: nothing in it may change which route is meant. */
function segment(text: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(text)) return text;
  throw new TypeError("an id or a day consists of letters, digits, _ and -");
}
