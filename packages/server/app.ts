import { Hono } from "hono";
import type { Register } from "@sabika/core/partners";
import type { Reading, Trading } from "@sabika/core/trading";
import {
  type Environment,
  EVENT_DELIVERY_STATUSES,
  eventToJson,
  ledgerEntryToJson,
  ORDER_STATUSES,
  orderToJson,
  QUOTE_STATUSES,
  quoteToJson,
  refuse,
  WITHDRAWAL_STATUSES,
  withdrawalToJson,
} from "@sabika/protocol";
import type { CertifiedCall, Check, SignedCall } from "./call.ts";
import { bearerTokenCheck } from "./door/bearer_token.ts";
import { bodyCheck } from "./door/body.ts";
import { certificateCheck } from "./door/certificate.ts";
import { diagnosing } from "./door/diagnosing.ts";
import {
  duplicateHeaders,
  idempotencyKey,
  jsonContentType,
  noContentEncoding,
} from "./door/header_syntax.ts";
import { rateCheck } from "./door/rate.ts";
import { signatureCheck, signedHeaders, timestampWindow } from "./door/signature.ts";
import { sourceAddress } from "./door/source_address.ts";
import { TokenBuckets } from "./door/token_buckets.ts";
import { type Bindings, createHandlers, type HandlerParts, type Manner } from "./handler.ts";
import { createResponder, type ResponderParts } from "./responder.ts";
import { balancesRoute } from "./routes/balances.ts";
import { healthRoute } from "./routes/health.ts";
import { limitsRoute } from "./routes/limits.ts";
import { meRoute } from "./routes/me.ts";
import { jwksRoute, metadataRoute } from "./routes/metadata.ts";
import { ordersRoute } from "./routes/orders.ts";
import { pricesRoute } from "./routes/prices.ts";
import { quotesRoute } from "./routes/quotes.ts";
import { listRoute } from "./routes/read_list.ts";
import { oneRoute } from "./routes/read_one.ts";
import { type RedeliverEvent, redeliverRoute } from "./routes/redeliver.ts";
import type { Route, SignedRoute } from "./routes/route.ts";
import { sandboxFundRoute } from "./routes/sandbox_fund.ts";
import { signedProbeRoute } from "./routes/signed_probe.ts";
import { statementsRoute } from "./routes/statements.ts";
import { oauthRefused, type TokenParts, tokenRoute } from "./routes/token.ts";
import { withdrawalsRoute } from "./routes/withdrawals.ts";

/** All that the HTTP face is made of; every part comes in as an argument. */
export interface AppParts extends HandlerParts, ResponderParts {
  readonly environment: Environment;
  /** The address partners know it by, without a slash at the end; what they sign begins with it. */
  readonly baseUrl: string;
  readonly register: Register;
  readonly matchesClientSecret: TokenParts["matchesClientSecret"];
  readonly trading: Trading;
  readonly reading: Reading;
  /** Has an event sent again; false when the partner has no such event. */
  readonly redeliver: RedeliverEvent;
  /** False while the database or this instance's clock is not to be relied on. */
  readonly isServing: () => boolean;
  /** Whether database and price source are there; what /health says. */
  readonly isHealthy: () => Promise<boolean>;
}

export type App = Hono<{ Bindings: Bindings }>;

/**
 * The HTTP face of the service: which checks stand before which route, in the order of
 * Decision D26: certificate → source address → token and its binding → rate → header syntax →
 * timestamp → signature. What follows is the routes': nonce → idempotency → body → business.
 */
export function createApp(parts: AppParts): App {
  const { environment, baseUrl, register, trading, reading, now } = parts;
  const issuer = { baseUrl, environment, keys: register, now, random: parts.random };

  // The door, check by check.
  const certificate = certificateCheck(register, now);
  const certificateLastKnown = certificateCheck(register, now, { evenIfStale: true });
  const serving: Check = () =>
    parts.isServing() ? undefined : refuse("service_unavailable", { retryAfterSeconds: 1 });
  const token = bearerTokenCheck(issuer);
  const tokenIfSent: Check = (call) =>
    call.incoming.headers.authorization === undefined ? undefined : token(call);
  const buckets = new TokenBuckets();
  const reads = rateCheck(buckets, "read", now);
  const writes = rateCheck(buckets, "write", now);
  const signedWrites = rateCheck(buckets, "signed", now);
  const tokenRequests = rateCheck(buckets, "token", now);
  const readBody = bodyCheck(now);
  const signature = signatureCheck(baseUrl, now);

  // Which of them stand before which kind of route.
  const known = [serving, certificate, sourceAddress];
  const plain = [duplicateHeaders, noContentEncoding];
  const write = [...plain, jsonContentType, idempotencyKey];
  const doors = {
    health: [certificateLastKnown, sourceAddress, reads, duplicateHeaders],
    open: [...known, reads, duplicateHeaders],
    token: [...known, tokenRequests, ...plain, readBody],
    read: [...known, token, reads, duplicateHeaders],
    act: [...known, token, writes, ...plain, readBody],
    fund: [...known, tokenIfSent, writes, ...write, readBody],
    write: [...known, token, writes, ...write, readBody],
    probe: [
      ...known,
      token,
      signedWrites,
      ...plain,
      readBody,
      signedHeaders,
      timestampWindow,
      signature,
    ],
    signed: [
      ...known,
      token,
      signedWrites,
      ...write,
      signedHeaders,
      readBody,
      timestampWindow,
      signature,
    ],
  } as const;

  // The routes. They match the target as it was received, so what a library on the way would
  // rewrite matches nothing.
  const app: App = new Hono({ getPath: (_request, options) => rawPathOf(options?.env) });
  const behind = createHandlers(parts, createResponder(parts));
  type Endpoint<R> = (path: string, door: readonly Check[], route: R, manner?: Manner) => void;
  const get: Endpoint<Route> = (path, door, route) => void app.get(path, behind(path, door, route));
  const post: Endpoint<Route> = (path, door, route, manner) =>
    void app.post(path, behind(path, door, route, manner));
  const postSigned: Endpoint<SignedRoute> = (path, door, route, manner) =>
    post(path, door, (call: CertifiedCall, id) => route(call as SignedCall, id), manner);

  get("/health", doors.health, healthRoute(parts));
  post("/oauth/token", doors.token, tokenRoute({ ...parts, issuer }), { write: oauthRefused });
  get("/.well-known/oauth-authorization-server", doors.open, metadataRoute(baseUrl));
  get("/.well-known/jwks.json", doors.open, jwksRoute(register));
  get("/v1/prices", doors.read, pricesRoute(trading));
  if (environment === "sandbox") post("/sandbox/fund", doors.fund, sandboxFundRoute(trading));
  post("/v1/quotes", doors.write, quotesRoute(trading));
  postSigned("/v1/orders", doors.signed, ordersRoute(trading));
  postSigned("/v1/withdrawals", doors.signed, withdrawalsRoute(trading));
  postSigned("/v1/signed-probe", doors.probe, signedProbeRoute(trading), {
    afterCheck: diagnosing(baseUrl, now),
  });

  get("/v1/quotes", doors.read, listRoute(reading.listQuotes, QUOTE_STATUSES, quoteToJson));
  get("/v1/quotes/:id", doors.read, oneRoute("qt", reading.getQuote, quoteToJson));
  get("/v1/orders", doors.read, listRoute(reading.listOrders, ORDER_STATUSES, orderToJson));
  get("/v1/orders/:id", doors.read, oneRoute("ord", reading.getOrder, orderToJson));
  get(
    "/v1/withdrawals",
    doors.read,
    listRoute(reading.listWithdrawals, WITHDRAWAL_STATUSES, withdrawalToJson),
  );
  get("/v1/withdrawals/:id", doors.read, oneRoute("wd", reading.getWithdrawal, withdrawalToJson));
  get(
    "/v1/events",
    doors.read,
    listRoute(reading.listEvents, EVENT_DELIVERY_STATUSES, eventToJson),
  );
  get("/v1/events/:id", doors.read, oneRoute("evt", reading.getEvent, eventToJson));
  post("/v1/events/:id/redeliver", doors.act, redeliverRoute(parts.redeliver, now));
  get("/v1/balances", doors.read, balancesRoute(reading));
  get(
    "/v1/ledger-entries",
    doors.read,
    listRoute(reading.listLedgerEntries, [], ledgerEntryToJson),
  );
  get("/v1/statements/:id", doors.read, statementsRoute(reading));
  get("/v1/me", doors.read, meRoute(environment, now));
  get("/v1/limits", doors.read, limitsRoute);

  // No such route: perhaps another method has one. Strangers learn of neither.
  app.notFound(behind("none", [certificate, sourceAddress], (call) => {
    const methods = ["GET", "POST"].filter((method) =>
      app.router.match(method, call.path)[0].length > 0
    );
    if (methods.length === 0) return refuse("not_found");
    const allow = methods.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
    return refuse("method_not_allowed", { headers: { allow: allow.join(", ") } });
  }));
  return app;
}

function rawPathOf(env: unknown): string {
  const target = (env as Bindings).incoming.url ?? "";
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}
