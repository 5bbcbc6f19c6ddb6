import process from "node:process";
import { readDatabaseState } from "@sabika/database";
import { openKeys, type Secrets, secretsWith } from "@sabika/identity/secrets";
import type { PlainFetch } from "@sabika/network";
import { type Cells, mapCells } from "@sabika/service/cells";
import { openSecrets } from "@sabika/service/deployment";
import {
  createConfiguredPrices,
  openPriceSettings,
  type PriceSource,
} from "@sabika/service/prices";
import { createReceiptSigner, type ReceiptSigner } from "@sabika/service/receipts";
import { type Environment, formatId, uuidV7 } from "@sabika/protocol";
import { type AppParts, createApp } from "./app.ts";
import type { CallerReaders } from "./call/peer.ts";
import { credentialParts } from "./credential_parts.ts";
import { createInstanceState } from "./instance_state.ts";
import { jobFailed } from "./jobs.ts";
import { listenForPartners } from "./listeners/listen.ts";
import { listenWatch } from "./listeners/listen_watch.ts";
import type { Unreadable } from "./listeners/unreadable.ts";
import type { Log } from "./logging/log.ts";
import { readDatabaseFigures } from "./observability/database_figures.ts";
import { createMetrics, type Metrics } from "./observability/metrics.ts";
import { openTelemetry } from "./observability/open_telemetry.ts";
import type { Tracing } from "./observability/tracing.ts";
import { openCells } from "./open_cells.ts";
import { openDatabases, type ServiceDatabases } from "./open_databases.ts";
import { openRegister } from "./open_register.ts";
import { openReaders, type Readers } from "./open_readers.ts";
import { openWorkers } from "./open_workers.ts";
import type { Opened } from "./opened.ts";
import { orderPressure } from "./order_pressure.ts";
import { processorPressure } from "./processor_pressure.ts";
import { checkProductionSettings } from "./production_checks.ts";
import { serveCells } from "./serve_cells.ts";
import type { ServiceSettings } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";
import { startHousekeeping } from "./start_housekeeping.ts";
import { openSandboxClock, realClock, type ServiceClock } from "./simulation/service_clock.ts";
import { openSimulation } from "./simulation/open_simulation.ts";
import { simulationAcross } from "./simulation/simulation_across.ts";
import { checkControlLater, clockDatabase, findSnapshot, keepSnapshot } from "./without_control.ts";

/** A service that has started. */
export interface Instance {
  /** Undefined when it listens nowhere. */
  readonly baseUrl: string | undefined;
  /** Undefined also on a Unix socket. */
  readonly port: number | undefined;
  /** Undefined without `settings.watch`, or on a Unix socket. */
  readonly watchPort: number | undefined;
  /** Refreshes the register of partners. */
  refresh(): Promise<void>;
  /** Reports from now on that no more requests are to be sent here. */
  drain(): void;
}

/** What an instance takes from outside itself. */
export interface InstanceSurroundings {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
  readonly lostLogLines: () => number;
  /** Asks a price feed, when the operator has set one. */
  readonly fetch: PlainFetch;
  /** The source of prices; undefined for the one that the operator set in the database. */
  readonly prices: PriceSource | undefined;
  /** As for `RequestingParts`. */
  readonly onCredentialRequest: ((requestId: string) => Promise<void>) | undefined;
  /** Every opened part adds how it is closed. */
  readonly opened: Opened;
}

/** What the parts of an instance share. */
interface Context extends Omit<InstanceSurroundings, "prices"> {
  readonly settings: ServiceSettings;
  /** Control's. */
  readonly databases: ServiceDatabases;
  readonly environment: Environment;
  readonly secrets: Secrets;
  readonly signer: ReceiptSigner;
  readonly clock: ServiceClock;
  readonly onError: (name: string, error: unknown) => void;
  /** What it starts by, while control is away. */
  readonly snapshot: Snapshot | undefined;
}

const monotonic = () => performance.now();

/** How long requests in flight may take to finish when the service stops. */
const PATIENCE_MS = 25_000;

/**
 * Starts the parts of a service in turn; partners are let in last. Every part that was opened is in
 * `surroundings.opened`, even if this throws.
 *
 * @throws {SettingsError | SchemaError | DeploymentError} with one line when it must not serve like this
 */
export async function startInstance(
  settings: ServiceSettings,
  surroundings: InstanceSurroundings,
): Promise<Instance> {
  checkProductionSettings(settings);
  const { now, random, log, opened } = surroundings;
  const { environment, kms, masterKeys, reloadMasterKeys } = settings;
  for (const reason of settings.openSecretFiles ?? []) {
    log("warning", "secret_file_open", { reason });
  }
  const keys = openKeys({ kms, masterKeys, reload: reloadMasterKeys, now, random });
  const { databases, snapshot } = await openDatabases(settings, {
    log,
    opened,
    snapshot: () => findSnapshot(settings, { keys, now, log }),
  });
  const database = databases.trading;
  const secrets = snapshot === undefined
    ? await openSecrets({ database, keys, environment, nowMs: now(), random })
    : await secretsWith(keys, snapshot.hashingKey);
  const onError = jobFailed(log);
  const clock = environment === "sandbox"
    ? await openSandboxClock({ database, now, opened, onError, known: snapshot?.clockAheadMs })
    : realClock(now);
  const signer = createReceiptSigner({ control: database, secrets, now: clock.now });
  const shared = { settings, environment, databases, secrets, signer, onError, snapshot };
  const context: Context = { ...surroundings, now: clock.now, clock, ...shared };
  return await startParts(context, surroundings.prices);
}

async function startParts(
  context: Context,
  givenPrices: PriceSource | undefined,
): Promise<Instance> {
  const { settings, environment, databases, clock, log, opened } = context;
  const { now, realNow } = clock;
  const database = databases.trading;
  const register = await openRegister(context);
  clock.onMove(register.refresh);
  const agreed = new Map(Object.entries(context.snapshot?.cells ?? {}));
  const cells = await openCells({ ...context, control: databases, register, agreed });
  const prices = givenPrices ?? await openConfiguredPrices(context);
  opened.add(() => prices.close?.());
  const tracing = await openTracing(context);
  const state = createInstanceState({
    ...context,
    realNow,
    register,
    prices,
    monotonic,
    isUsable: (cellId) => cells.all().has(cellId),
    otherCells: [...settings.cellUrls?.keys() ?? []],
    clockOffsetLimitMs: settings.clockOffsetLimitMs,
  });
  const metrics = createMetrics({
    queueDepth: () => trading.queueDepth(),
    priceAgeSeconds: () => {
      const latest = prices.latest(now());
      return latest.ok ? (now() - latest.asOfMs) / 1000 : undefined;
    },
    isRegisterFresh: () => register.isFresh(now()),
    controlAway: register.away,
    now,
    clockOffsetSeconds: () => state.clockOffsetMs() / 1000,
    lostLogLines: context.lostLogLines,
    residentMemoryBytes: () => process.memoryUsage.rss(),
    isReady: state.wasReady,
    failedShares: state.failedShares,
    eventStreams: () => eventStreams.count(),
    standbys: () =>
      settings.standbyLagSeconds
        ? Array.from(cells.all(), ([cellId, { standbys }]) => [cellId, standbys] as const)
        : [],
    fromDatabase: () => readFigures(context, cells),
  });
  const { trading, reading, eventStreams } = serveCells(cells, {
    ...context,
    prices,
    observe: metrics,
    refresh: register.refresh,
  });

  // Before any partner is let in, since this clock decides when a quote ends.
  state.update(await readDatabaseState(clockDatabase(context, cells), { now: realNow, monotonic }));
  const pressure = orderPressure();
  const isBusy = settings.listen.kind === "nowhere" ? processorPressure().isBusy : pressure.isBusy;
  const workers = openWorkers(cells, {
    ...context,
    register,
    metrics,
    isBusy,
    now: state.databaseNow,
    realNow,
    isClockGood: state.isServing,
  });
  const simulated = { control: database, trading, reading, register, prices };
  const simulation = environment === "sandbox"
    ? simulationAcross(
      mapCells(workers, (cell) => openSimulation({ ...context, ...cell, ...simulated })),
    )
    : undefined;
  const watch = settings.watch && await listenWatch(settings.watch, metrics, state);
  opened.add(() => watch?.close());

  const common = {
    ...context,
    ...state,
    realNow,
    register,
    trading,
    reading,
    eventStreams,
    simulation,
    metrics,
    tracing,
    noteWrite: (write: Parameters<typeof state.noteWrite>[0]) => {
      pressure.noteWrite();
      state.noteWrite(write);
    },
    accessLog: settings.accessLog ?? "all",
    ...credentialParts(context, register, trading),
  };
  const listener = await letPartnersIn(context, common, state.isReady);
  const { baseUrl, port } = listener ?? {};
  log("info", listener === undefined ? "delivering" : "serving", { base_url: baseUrl });
  startHousekeeping(context, { cells, prices, state, isBusy });
  keepSnapshot(context, { register, agreed });
  if (context.snapshot !== undefined) void checkControlLater(context, state.drain);
  return { baseUrl, port, watchPort: watch?.port, refresh: register.refresh, drain: state.drain };
}

/** Listens where the settings say; undefined when that is nowhere. */
async function letPartnersIn(
  context: Context,
  parts: Omit<AppParts, "baseUrl" | keyof Readers | keyof CallerReaders>,
  isReady: () => Promise<boolean>,
) {
  const { settings: { listen, baseUrl }, databases, now, opened, onError } = context;
  if (listen.kind === "nowhere") return undefined;
  const readers = openReaders({ database: databases.trading, now });
  const listener = await listenForPartners({
    listen,
    baseUrl,
    appFor: (listening) => createApp({ ...parts, ...listening, ...readers }),
    unreadable: unreadableParts(context, parts.metrics),
    isReady,
    onError,
  });
  opened.add(() => listener.close(PATIENCE_MS));
  return listener;
}

/** Reads the metrics of the databases of all cells. */
function readFigures({ settings, databases, now }: Context, cells: Cells<ServiceDatabases>) {
  return readDatabaseFigures(databases.trading, now(), {
    cellIds: [...settings.cellUrls?.keys() ?? []],
    cells: new Map(Array.from(cells.all(), ([cellId, { delivery }]) => [cellId, delivery])),
  });
}

async function openConfiguredPrices(
  { settings, databases, secrets, fetch, now, onError, snapshot }: Context,
): Promise<PriceSource> {
  const prices = createConfiguredPrices({
    database: databases.trading,
    secrets,
    environment: settings.environment,
    fetch,
    now,
    initial: snapshot && await openPriceSettings(snapshot.prices, secrets),
    onError: (error) => onError("prices", error),
  });
  if (snapshot === undefined) await prices.refresh();
  return prices;
}

async function openTracing({ settings, opened }: Context): Promise<Tracing | undefined> {
  const { otlpEndpoint, environment } = settings;
  if (otlpEndpoint === undefined) return undefined;
  const tracing = await openTelemetry(otlpEndpoint, environment);
  opened.add(() => tracing.close());
  return tracing;
}

function unreadableParts(
  { now, random, log }: Context,
  metrics: Pick<Metrics, "request">,
): Unreadable {
  return {
    newRequestId: () => formatId("req", uuidV7(now(), random)),
    onUnreadable(status, code, requestId) {
      metrics.request("none", status, code, 0);
      log("info", "unreadable_request", { request_id: requestId, status, code });
    },
  };
}
