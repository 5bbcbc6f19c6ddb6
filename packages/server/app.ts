import { Hono } from "hono";
import type { Register } from "@sabika/core/partners";
import type { Reading, Trading } from "@sabika/core/trading";
import {
  type Environment,
  EVENT_DELIVERY_STATUSES,
  eventToJson,
  LEDGER_ENTRY,
  ORDER,
  ORDER_STATUSES,
  QUOTE,
  QUOTE_STATUSES,
  refuse,
  WITHDRAWAL,
  WITHDRAWAL_STATUSES,
} from "@sabika/protocol";
import type { ReceivedCall } from "./call/received_call.ts";
import { diagnosing } from "./door/diagnosing.ts";
import type { Door } from "./door/door.ts";
import { createDoors } from "./door/doors.ts";
import { type Bindings, createHandlers, type HandlerParts, type RefusalManner } from "./handler.ts";
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
import type { Route } from "./routes/route.ts";
import { sandboxFundRoute } from "./routes/sandbox_fund.ts";
import { signedProbeRoute } from "./routes/signed_probe.ts";
import { statementsRoute } from "./routes/statements.ts";
import { oauthErrorReply, type TokenParts, tokenRoute } from "./routes/token.ts";
import { withdrawalsRoute } from "./routes/withdrawals.ts";

/** Everything that the HTTP face is made of. */
export interface AppParts extends HandlerParts, ResponderParts {
  readonly environment: Environment;
  /** The address partners use, without a trailing slash; the URL they sign begins with it. */
  readonly baseUrl: string;
  readonly register: Register;
  readonly matchesClientSecret: TokenParts["matchesClientSecret"];
  /** The public keys of a partner's client certificates. */
  readonly certificateKeys: (partnerId: number) => Promise<readonly CryptoKey[]>;
  readonly trading: Trading;
  readonly reading: Reading;
  /** Has an event sent again; false when the partner has no such event. */
  readonly redeliver: RedeliverEvent;
  /** False while this instance's clock cannot be relied on. */
  readonly isServing: () => boolean;
  /** Whether database and price source are available; what /health reports. */
  readonly isHealthy: () => Promise<boolean>;
}

export type App = Hono<{ Bindings: Bindings }>;

/** The HTTP face of the service: which route stands behind which door. */
export function createApp(parts: AppParts): App {
  const { environment, baseUrl, register, trading, reading, now } = parts;
  const issuer = { baseUrl, environment, keys: register, now, random: parts.random };
  const doors = createDoors({
    issuer,
    register,
    isServing: parts.isServing,
    onFailedVerification: parts.metrics.failedVerification,
  });

  // Routes match the target as it was received, so what a library on the way would rewrite matches
  // nothing.
  const app: App = new Hono({ getPath: (_request, options) => rawPathOf(options?.env) });
  const behind = createHandlers(parts, createResponder(parts));
  function get<C extends ReceivedCall>(path: string, door: Door<C>, route: Route<C>): void {
    app.get(path, behind(path, door, route));
  }
  function post<C extends ReceivedCall>(
    path: string,
    door: Door<C>,
    route: Route<C>,
    manner?: RefusalManner,
  ): void {
    app.post(path, behind(path, door, route, manner));
  }

  get("/health", doors.health, healthRoute(parts));
  post("/oauth/token", doors.token, tokenRoute({ ...parts, issuer }), { write: oauthErrorReply });
  get("/.well-known/oauth-authorization-server", doors.documents, metadataRoute(baseUrl));
  get("/.well-known/jwks.json", doors.documents, jwksRoute(register));
  get("/v1/prices", doors.read, pricesRoute(trading));
  if (environment === "sandbox") post("/sandbox/fund", doors.fund, sandboxFundRoute(trading));
  post("/v1/quotes", doors.write, quotesRoute(trading));
  post("/v1/orders", doors.signedWrite, ordersRoute(trading));
  post("/v1/withdrawals", doors.signedWrite, withdrawalsRoute(trading));
  post("/v1/signed-probe", doors.probe, signedProbeRoute(trading), {
    explain: diagnosing(baseUrl, now, parts.certificateKeys),
  });

  get("/v1/quotes", doors.read, listRoute(reading.listQuotes, QUOTE_STATUSES, QUOTE.write));
  get("/v1/quotes/:id", doors.read, oneRoute("qt", reading.getQuote, QUOTE.write));
  get("/v1/orders", doors.read, listRoute(reading.listOrders, ORDER_STATUSES, ORDER.write));
  get("/v1/orders/:id", doors.read, oneRoute("ord", reading.getOrder, ORDER.write));
  get(
    "/v1/withdrawals",
    doors.read,
    listRoute(reading.listWithdrawals, WITHDRAWAL_STATUSES, WITHDRAWAL.write),
  );
  get("/v1/withdrawals/:id", doors.read, oneRoute("wd", reading.getWithdrawal, WITHDRAWAL.write));
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
    listRoute(reading.listLedgerEntries, [], LEDGER_ENTRY.write),
  );
  get("/v1/statements/:id", doors.read, statementsRoute(reading));
  get("/v1/me", doors.read, meRoute(environment, now));
  get("/v1/limits", doors.read, limitsRoute);

  // No such route; another method may have one.
  app.notFound(behind("none", doors.unknown, (call) => {
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
