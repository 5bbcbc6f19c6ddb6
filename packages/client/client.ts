import {
  ATTESTATION_KEYS,
  BALANCES,
  credentialRequestToJson,
  DELIVERY_ATTEMPT,
  eventFromJson,
  FUNDING,
  fundingRequestToJson,
  HEALTH,
  LEDGER_ENTRY,
  LIMITS,
  ME,
  ORDER,
  ORDER_EVIDENCE,
  orderRequestToJson,
  pageFromJson,
  parseJson,
  POOL_VERSION,
  PRICE,
  PRICE_HISTORY,
  PUBLISHED_RESERVE,
  QUOTE,
  quoteRequestToJson,
  RECEIPT_KEYS,
  RECEIPT_MEDIA_TYPE,
  REDELIVERY,
  redeliveryRequestToJson,
  REQUESTED_CREDENTIAL,
  RESERVE_OPENING,
  SCENARIO,
  SCENARIO_REQUEST,
  SIGNED_PROBE,
  STATEMENT,
  TOKEN,
  uuidV7,
  VAULT,
  WEBHOOK_ENABLED,
  WITHDRAWAL,
  WITHDRAWAL_EVIDENCE,
  withdrawalRequestToJson,
} from "@sabika/protocol";
import type { JsonValue, Page, RequestedCredentialStatus, SigningKey } from "@sabika/protocol";
import { DEFAULT_RETRY, wait } from "./backoff.ts";
import { type Call, segment } from "./call.ts";
import type {
  CallOptions,
  Client,
  ClientOptions,
  NewCredential,
  WriteOptions,
} from "./client_interface.ts";
import { type Identity, openIdentity } from "./identity.ts";
import type { Kit } from "./kit.ts";
import { historyQuery, type ListFilter, listQuery } from "./list_query.ts";
import { type Pages, pagesOf } from "./pages.ts";
import { send } from "./send.ts";
import type { SenderParts } from "./sender_parts.ts";
import { streamEvents } from "./stream_events.ts";
import { tokenCall } from "./token_call.ts";
import type { FetchAnswer } from "./transport.ts";
import { VERSION } from "./version.ts";

const USER_AGENT = `sabika-client/${VERSION}`;
const TIMEOUT_MS = 15_000;

/**
 * Creates a client from a partner kit.
 *
 * @example
 * ```ts
 * import { createClient, grams, openKit, riyals } from "@sabika/client";
 *
 * const client = createClient(await openKit(".sabika/partners/demo"));
 * await client.fund({ amountHalalas: riyals("1000") });
 * const quote = await client.quote({ side: "buy", goldMicrograms: grams("1.5") });
 * const order = await client.order({ quoteId: quote.id });
 * console.log(order.status);
 * await client.close();
 * ```
 */
export function createClient(kit: Kit<SigningKey>, options: ClientOptions = {}): Client {
  const { parts, present } = openSender(kit, options);
  const calls = callsOf(parts);
  const { get, list, post, text } = calls;

  return {
    health: ({ signal } = {}) => {
      // A 503 of /health is an answer, not a failure (Decision D16).
      const call = { method: "GET", path: "/health", token: false, alsoStatus: 503 } as const;
      return send(parts, { ...call, read: reading(HEALTH.read), signal });
    },
    prices: (options) => get("/v1/prices", PRICE.read, options),
    vault: (options) => get("/v1/vault", VAULT.read, options),
    vaultVersion: (number, options) =>
      get(`/v1/vault/versions/${number}`, POOL_VERSION.read, options),
    reserve: async (day, options) =>
      await get(`/v1/reserves/${segment(day)}`, PUBLISHED_RESERVE.read, options),
    reserveOpening: async (day, options) =>
      await get(`/v1/reserves/${segment(day)}/mine`, RESERVE_OPENING.read, options),
    priceHistory: (query = {}, options) =>
      get(`/v1/prices/history${historyQuery(query)}`, PRICE_HISTORY.read, options),
    // Funding is authenticated by the certificate (Decision D18), so no token is needed.
    fund: (request, options) =>
      post("/sandbox/fund", fundingRequestToJson(request), FUNDING.read, options, {
        token: false,
      }),
    scenario: (request, options) =>
      post("/sandbox/scenario", SCENARIO_REQUEST.write(request), SCENARIO.read, options, signed),
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
    cancelWithdrawal: async (id, options) => {
      const path = `/v1/withdrawals/${segment(id)}/cancel`;
      return await post(path, "{}", WITHDRAWAL.read, options, signed);
    },
    probe: (body = "{}", options) =>
      post("/v1/signed-probe", body, SIGNED_PROBE.read, options, signed),
    balances: (options) => get("/v1/balances", BALANCES.read, options),
    getQuote: async (id, options) => await get(`/v1/quotes/${segment(id)}`, QUOTE.read, options),
    getOrder: async (id, options) => await get(`/v1/orders/${segment(id)}`, ORDER.read, options),
    getWithdrawal: async (id, options) =>
      await get(`/v1/withdrawals/${segment(id)}`, WITHDRAWAL.read, options),
    getOrderEvidence: async (id, options) =>
      await get(`/v1/orders/${segment(id)}/evidence`, ORDER_EVIDENCE.read, options),
    getReceipt: async (id, options) =>
      await text(`/v1/orders/${segment(id)}/receipt`, RECEIPT_MEDIA_TYPE, unlessPending, options),
    receiptKeys: (options) => get(wellKnown("receipt"), RECEIPT_KEYS.read, options),
    attestationKeys: (options) => get(wellKnown("attestation"), ATTESTATION_KEYS.read, options),
    getWithdrawalEvidence: async (id, options) =>
      await get(`/v1/withdrawals/${segment(id)}/evidence`, WITHDRAWAL_EVIDENCE.read, options),
    getEvent: async (id, options) => await get(`/v1/events/${segment(id)}`, eventFromJson, options),
    listQuotes: (filter, options) => list("/v1/quotes", QUOTE.read, filter, options),
    listOrders: (filter, options) => list("/v1/orders", ORDER.read, filter, options),
    listWithdrawals: (filter, options) => list("/v1/withdrawals", WITHDRAWAL.read, filter, options),
    listLedgerEntries: (filter, options) =>
      list("/v1/ledger-entries", LEDGER_ENTRY.read, filter, options),
    events: (filter, options) => list("/v1/events", eventFromJson, filter, options),
    deliveryAttempts: (id, page, options) =>
      list(`/v1/events/${segment(id)}/attempts`, DELIVERY_ATTEMPT.read, page, options),
    streamEvents: (from, { signal } = {}) => streamEvents(parts, from, signal),
    enableWebhook: (options) =>
      post("/v1/webhook/enable", "{}", WEBHOOK_ENABLED.read, options, signed),
    redeliver: async (id, options) => {
      await post(`/v1/events/${segment(id)}/redeliver`, "{}", () => {}, options);
    },
    redeliverRange: (range, options) =>
      post("/v1/events/redeliver", redeliveryRequestToJson(range), REDELIVERY.read, options),
    statement: async (day, options) =>
      await get(`/v1/statements/${segment(day)}`, STATEMENT.read, options),
    statementCsv: async (day, options) =>
      await text(`/v1/statements/${segment(day)}`, "text/csv", (csv) => csv, options),
    ...credentialMethods(calls),
    me: (options) => get("/v1/me", ME.read, options),
    limits: (options) => get("/v1/limits", LIMITS.read, options),
    close: async () => {
      parts.closing.closed = true;
      for (const end of parts.closing.ends) end();
      await parts.identity.close();
    },
    reload: async (kit) => {
      const { identity } = parts;
      parts.identity = present(kit);
      await identity.retire();
    },
  };
}

const signed = { signed: true, token: true };

/** Makes the methods for new certificates and signing keys. */
function credentialMethods({ get, list, post }: ReturnType<typeof callsOf>) {
  const { read } = REQUESTED_CREDENTIAL;
  const request =
    (kind: string) => ({ csr, overlapSeconds = null }: NewCredential, options?: WriteOptions) => {
      const json = credentialRequestToJson({ csr, overlapSeconds });
      return post(`/v1/credentials/${kind}`, json, read, options, signed);
    };
  return {
    requestCertificate: request("certificate"),
    requestSigningKey: request("signing-key"),
    getRequestedCredential: async (id: string, options?: CallOptions) =>
      await get(`/v1/credentials/${segment(id)}`, read, options),
    listRequestedCredentials: (
      filter?: ListFilter<RequestedCredentialStatus>,
      options?: CallOptions,
    ) => list("/v1/credentials", read, filter, options),
  };
}

/** Makes the parts with which calls are sent, and what makes an identity of another kit. */
function openSender(kit: Kit<SigningKey>, options: ClientOptions) {
  const { userAgent, now = Date.now } = options;
  const present = (kit: Kit<SigningKey>): Identity =>
    openIdentity(
      kit,
      { ...options, now },
      (identity) => send({ ...parts, identity }, { ...tokenCall(kit), read: reading(TOKEN.read) }),
    );
  const parts: SenderParts = {
    identity: present(kit),
    clock: { offsetMs: 0 },
    now,
    random: options.random ?? ((length) => crypto.getRandomValues(new Uint8Array(length))),
    wait: options.wait ?? wait,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    userAgent: userAgent === undefined ? USER_AGENT : `${userAgent} ${USER_AGENT}`,
    closing: { closed: false, ends: new Set() },
    observe: options.observe,
  };
  return { parts, present };
}

/** Makes functions for the kinds of calls that nearly all methods use. */
function callsOf(parts: SenderParts) {
  const { now, random } = parts;

  const get = <T>(
    path: string,
    read: (value: JsonValue) => T,
    { signal, simulate }: CallOptions = {},
  ) => {
    const call = { method: "GET", path, token: true, read: reading(read) } as const;
    return send<T>(parts, { ...call, signal, simulate });
  };
  /** Gets what is not JSON. */
  const text = <T>(
    path: string,
    accept: string,
    read: (text: string, answer: FetchAnswer) => T,
    { signal, simulate }: CallOptions = {},
  ) => send<T>(parts, { method: "GET", path, accept, token: true, read, signal, simulate });
  const list = <T>(
    path: string,
    read: (value: JsonValue) => T,
    filter: Parameters<typeof listQuery>[0] = {},
    options?: CallOptions,
  ): Pages<T> => {
    const page = (value: JsonValue): Page<T> => pageFromJson(value, read);
    return pagesOf(
      (cursor) => get(path + listQuery({ ...filter, cursor }), page, options),
      filter.cursor,
    );
  };
  const post = <T>(
    path: string,
    json: string,
    read: (value: JsonValue) => T,
    { signal, simulate, idempotencyKey = uuidV7(now(), random) }: WriteOptions = {},
    authentication: Pick<Call<T>, "signed" | "token"> = { token: true },
  ) => {
    const body = { text: json, mediaType: "application/json" };
    return send<T>(parts, {
      method: "POST",
      path,
      body,
      ...authentication,
      idempotencyKey,
      read: reading(read),
      signal,
      simulate,
    });
  };
  return { get, list, post, text };
}

/** Reads a receipt, which is not there yet if the answer is 202. */
const unlessPending = (jws: string, { status }: FetchAnswer): string | undefined =>
  status === 202 ? undefined : jws;

function reading<T>(read: (value: JsonValue) => T): (text: string) => T {
  return (text) => read(parseJson(text));
}

/** Where keys are published. */
const wellKnown = (ofWhat: string): string => `/.well-known/sabika-${ofWhat}-keys.json`;
