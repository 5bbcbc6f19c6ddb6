import { Hono } from "hono";
import type { CredentialRequests } from "@sabika/service/credentials";
import type { Register } from "@sabika/service/partners";
import type { PartnerReading, Trading } from "@sabika/service/trading";
import {
  type Environment,
  EVENT_DELIVERY_STATUSES,
  eventToJson,
  LEDGER_ENTRY,
  ORDER,
  ORDER_EVIDENCE,
  ORDER_STATUSES,
  QUOTE,
  QUOTE_STATUSES,
  refuse,
  WITHDRAWAL,
  WITHDRAWAL_EVIDENCE,
  WITHDRAWAL_STATUSES,
} from "@sabika/protocol";
import { OPERATION_LIST, type OperationId, type OPERATIONS } from "@sabika/reference";
import type { ReceivedCall } from "./call/received_call.ts";
import { explainRefusals } from "./door/explain_refusals.ts";
import type { Door } from "./door/door.ts";
import { createDoors } from "./door/doors.ts";
import { type Bindings, createHandlers, type HandlerParts, type RefusalManner } from "./handler.ts";
import type { Readers } from "./open_readers.ts";
import { createResponder, type ResponderParts } from "./responder.ts";
import { type ClientParts, oauthErrorReply } from "./routes/client_form.ts";
import { balancesRoute } from "./routes/balances.ts";
import { deliveryAttemptsRoute } from "./routes/delivery_attempts.ts";
import { cancelWithdrawalRoute } from "./routes/cancel_withdrawal.ts";
import { credentialRoutes } from "./routes/credentials.ts";
import { enableWebhookRoute } from "./routes/enable_webhook.ts";
import { healthRoute } from "./routes/health.ts";
import { limitsRoute } from "./routes/limits.ts";
import { meRoute } from "./routes/me.ts";
import {
  attestationKeysRoute,
  jwksRoute,
  metadataRoute,
  receiptKeysRoute,
} from "./routes/metadata.ts";
import { openApiRoute } from "./routes/open_api.ts";
import { ordersRoute } from "./routes/orders.ts";
import { priceHistoryRoute } from "./routes/price_history.ts";
import { pricesRoute } from "./routes/prices.ts";
import { quotesRoute } from "./routes/quotes.ts";
import { listRoute } from "./routes/read_list.ts";
import { resourceRoute } from "./routes/read_resource.ts";
import { receiptRoute } from "./routes/receipt.ts";
import { reserveOpeningRoute, reserveRoute } from "./routes/reserve.ts";
import { refuseQuery } from "./routes/refuse_query.ts";
import { redeliverRangeRoute, redeliverRoute } from "./routes/redeliver.ts";
import { type RevokeParts, revokeRoute } from "./routes/revoke.ts";
import type { Route } from "./routes/route.ts";
import { referenceRoute } from "./routes/reference.ts";
import { sandboxFundRoute } from "./routes/sandbox_fund.ts";
import { scenarioRoute } from "./routes/scenario.ts";
import { signedProbeRoute } from "./routes/signed_probe.ts";
import { streamEventsRoute, type StreamParts } from "./routes/stream_events.ts";
import { statementsRoute } from "./routes/statements.ts";
import { vaultRoute, vaultVersionRoute } from "./routes/vault.ts";
import { tokenRoute } from "./routes/token.ts";
import { withdrawalsRoute } from "./routes/withdrawals.ts";
import type { Simulation } from "./simulation/create_simulation.ts";
import { refuseSimulation } from "./simulation/refuse_simulation.ts";

/** The parts of the HTTP application. */
export interface AppParts extends HandlerParts, ResponderParts, StreamParts, Readers {
  readonly environment: Environment;
  /** The address that partners use, without a trailing slash; the URLs that they sign begin with it. */
  readonly baseUrl: string;
  readonly register: Register;
  readonly matchesClientSecret: ClientParts["matchesClientSecret"];
  readonly revokeToken: RevokeParts["revokeToken"];
  /** The public keys of a partner's client certificates. */
  readonly certificateKeys: (partnerId: number) => Promise<readonly CryptoKey[]>;
  readonly credentialRequests: CredentialRequests;
  readonly trading: Trading;
  readonly reading: PartnerReading;
  /** Failures on demand (Decision D55); undefined in production. */
  readonly simulation: Simulation | undefined;
  /** What time it really is, by which programs sign (Decision D111); `now` if left out. */
  readonly realNow?: () => number;
  /** False while this instance's clock cannot be relied on. */
  readonly isServing: () => boolean;
  /** Whether database, price source and a partner's cell are available, as /health reports. */
  readonly isHealthy: (cellId: string) => Promise<boolean>;
}

/** The Hono application of the service. */
export type App = Hono<{ Bindings: Bindings }>;

type Doors = ReturnType<typeof createDoors>;
type CallBehind<D> = D extends Door<infer C> ? C : never;

/** A route for each operation of the reference, behind the door that it names there (Decision D72). */
type Routes = {
  readonly [Id in OperationId]: Route<CallBehind<Doors[(typeof OPERATIONS)[Id]["door"]]>>;
};

/** Creates the HTTP application of the service, with each route behind its door. */
export function createApp(parts: AppParts): App {
  const { environment, baseUrl, register, reading, now, simulation } = parts;
  const issuer = { baseUrl, environment, keys: register, now, random: parts.random };
  const doors = createDoors({
    issuer,
    register,
    isServing: parts.isServing,
    aheadMs: parts.realNow && (() => now() - parts.realNow!()),
    onFailedVerification: parts.metrics.failedVerification,
  });

  // Routes match the target as received: one that a library would rewrite matches none.
  const app: App = new Hono({ getPath: (_request, options) => rawPathOf(options?.env) });
  const behind = createHandlers(parts, createResponder(parts));
  const around: Simulation["around"] = simulation?.around ?? refuseSimulation;
  const trading: Simulation["trading"] = simulation?.trading ?? ((make) => make(parts.trading));
  const oauth = { ...parts, issuer };
  const routes: Routes = {
    getHealth: healthRoute(parts),
    createToken: tokenRoute(oauth),
    revokeToken: revokeRoute(oauth),
    getServerMetadata: metadataRoute(baseUrl),
    getTokenKeys: jwksRoute(register),
    getReceiptKeys: receiptKeysRoute(parts.receiptKeys),
    getAttestationKeys: attestationKeysRoute(parts.attestationKeys),
    getOpenApi: openApiRoute({ environment, baseUrl }),
    getReference: referenceRoute({ environment, baseUrl }),
    getMe: meRoute(environment, reading, now),
    getLimits: limitsRoute,
    getPrices: trading(pricesRoute),
    getPriceHistory: priceHistoryRoute(parts),
    fund: trading(sandboxFundRoute),
    createScenario: scenarioRoute(parts.trading, simulation?.beginScenario),
    createQuote: trading(quotesRoute),
    createOrder: trading(ordersRoute),
    createWithdrawal: trading(withdrawalsRoute),
    cancelWithdrawal: trading(cancelWithdrawalRoute),
    probeSignature: trading(signedProbeRoute),
    ...credentialRoutes(parts),
    getBalances: balancesRoute(reading),
    listQuotes: listRoute(reading.listQuotes, QUOTE_STATUSES, QUOTE.write),
    getQuote: resourceRoute("qt", reading.getQuote, QUOTE.write),
    listOrders: listRoute(reading.listOrders, ORDER_STATUSES, ORDER.write),
    getOrder: resourceRoute("ord", reading.getOrder, ORDER.write),
    getOrderEvidence: resourceRoute("ord", reading.orderEvidence, ORDER_EVIDENCE.write),
    getOrderReceipt: receiptRoute(reading.receipt),
    listWithdrawals: listRoute(reading.listWithdrawals, WITHDRAWAL_STATUSES, WITHDRAWAL.write),
    getWithdrawal: resourceRoute("wd", reading.getWithdrawal, WITHDRAWAL.write),
    getWithdrawalEvidence: resourceRoute(
      "wd",
      reading.withdrawalEvidence,
      WITHDRAWAL_EVIDENCE.write,
    ),
    listLedgerEntries: listRoute(reading.listLedgerEntries, [], LEDGER_ENTRY.write),
    getStatement: statementsRoute(reading),
    getVault: vaultRoute(parts),
    getVaultVersion: vaultVersionRoute(parts),
    getReserve: reserveRoute(parts),
    getReserveOpening: reserveOpeningRoute(parts),
    listEvents: listRoute(reading.listEvents, EVENT_DELIVERY_STATUSES, eventToJson, {
      isNumbered: true,
    }),
    streamEvents: streamEventsRoute(parts, doors.connected),
    getEvent: resourceRoute("evt", reading.getEvent, eventToJson),
    enableWebhook: trading(enableWebhookRoute),
    redeliverEvent: trading(redeliverRoute),
    redeliverEvents: trading(redeliverRangeRoute),
    listDeliveryAttempts: deliveryAttemptsRoute(reading.listAttempts),
  };
  const manners: Partial<Record<OperationId, RefusalManner>> = {
    createToken: { write: oauthErrorReply },
    revokeToken: { write: oauthErrorReply },
    probeSignature: { explain: explainRefusals(baseUrl, now, parts.certificateKeys) },
  };
  const operations = operationsIn(environment);
  const unknown = behind("none", doors.unknown, (call) => {
    const methods = methodsOf(app, operations, call.path);
    if (methods.length === 0) return refuse("not_found");
    const allow = methods.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
    return refuse("method_not_allowed", { headers: { allow: allow.join(", ") } });
  });
  const forIds = foldersWithIds(operations);
  for (const [, { method, path }] of operations) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (method === "GET" || path.endsWith("{id}") || !forIds.includes(folder)) continue;
    app.use(path, (context, next) => context.req.method === method ? next() : unknown(context));
  }
  for (const [id, { method, path, door, parameters }] of operations) {
    const pattern = path.replace("{id}", ":id");
    // The type `Routes` ensures that each route fits the door that its operation names.
    const own = routes[id] as Route<ReceivedCall>;
    const hasNoQuery = door === "read" &&
      !parameters?.some((parameter) => parameter.in === "query");
    const route = hasNoQuery ? refuseQuery(own) : own;
    app.on(method, pattern, behind(pattern, doors[door], around(route), manners[id]));
  }

  app.notFound(unknown);
  return app;
}

/** The methods of a path besides HEAD; none if it is unknown. */
function methodsOf(app: App, operations: typeof OPERATION_LIST, asked: string): string[] {
  // A path without parameters goes first: in /v1/events/redeliver the last part is not an id.
  const named = operations.filter(([, { path }]) => path === asked);
  return ["GET", "POST"].filter((method) =>
    named.length > 0
      ? named.some(([, route]) => route.method === method)
      : app.router.match(method, asked)[0].length > 0
  );
}

function operationsIn(environment: Environment): typeof OPERATION_LIST {
  return OPERATION_LIST.filter(([, { isSandboxOnly }]) =>
    isSandboxOnly !== true || environment === "sandbox"
  );
}

/** The folders whose resources are read by their ids. */
function foldersWithIds(operations: typeof OPERATION_LIST): readonly string[] {
  return operations.filter(([, { method, path }]) => method === "GET" && path.endsWith("{id}"))
    .map(([, { path }]) => path.slice(0, -"{id}".length));
}

function rawPathOf(env: unknown): string {
  const target = (env as Bindings).incoming.url ?? "";
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}
