import process from "node:process";
import { type PlainFetch, plainFetch } from "@sabika/core/network";
import {
  createRegister,
  type Deployment,
  matchesClientSecret,
  openDeployment,
  type PartnerRecord,
  readWebhookSecrets,
  type Register,
} from "@sabika/core/partners";
import { type Database, migrate, openDatabase } from "@sabika/core/store";
import {
  createConfiguredPrices,
  createReading,
  createTrading,
  type PriceSource,
} from "@sabika/core/trading";
import { createWebhookWorker, requestRedelivery } from "@sabika/core/webhooks";
import { formatId, NONCE_RETENTION_SECONDS, uuidV7 } from "@sabika/protocol";
import { CLOCK_OFFSET_LIMIT_MS, type DatabaseState, readDatabaseState } from "./clock_offset.ts";
import { renewRegister } from "./door/fresh_register.ts";
import { checkProductionDatabase, checkProductionSettings } from "./fit_for_production.ts";
import { housekeepingJobs } from "./housekeeping.ts";
import { startJobs } from "./jobs.ts";
import type { Unreadable } from "./listeners/http_server.ts";
import { openDoor } from "./listeners/open_door.ts";
import { describeError, type Log, silentLog } from "./logging/log.ts";
import { webhookLog } from "./logging/webhook_log.ts";
import type { RedeliverEvent } from "./routes/redeliver.ts";
import type { ServiceSettings } from "./settings.ts";
import { readDatabaseFigures } from "./watching/database_figures.ts";
import { createMetrics } from "./watching/metrics.ts";
import { openTelemetry } from "./watching/open_telemetry.ts";
import { listenWatch } from "./watching/watch_listener.ts";

/** What a service takes from outside itself. */
export interface ServiceSurroundings {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly log?: Log;
  /** Asks a price feed, when the operator has set one; `plainFetch` when left out. */
  readonly fetch?: PlainFetch;
  /** Where prices come from; what the operator set in the database when left out. */
  readonly prices?: PriceSource;
}

export interface Service {
  /**
   * Opens the database (and migrates it), listens, and begins to work.
   *
   * @throws {SettingsError | DeploymentError} with one line when it must not serve like this
   */
  start(): Promise<{ baseUrl: string; port: number | undefined; watchPort: number | undefined }>;
  /** Looks at the register of partners now instead of soon. */
  refresh(): Promise<void>;
  /** Lets what is under way finish, then closes everything. */
  stop(): Promise<void>;
}

/** How long requests in flight may take to finish when the service stops. */
const PATIENCE_MS = 25_000;

/** Longer than any statement of a service may take. */
const ANSWER_TIMEOUT_MS = 15_000;

const READING_CONNECTIONS = 4;
/** A read that takes longer is given up; the sidecar would give it up at 20 s. */
const READING_TIMEOUT_MS = 10_000;

/** Puts the service together; nothing runs before `start`. */
export function createService(
  settings: ServiceSettings,
  { now, random, log = silentLog, fetch = plainFetch, prices: givenPrices }: ServiceSurroundings,
): Service {
  /** What has been opened so far; closed in the reverse order. */
  const opened: (() => Promise<void> | void)[] = [];
  let isDraining = false;
  let databaseState: DatabaseState = { offsetMs: 0, takesWrites: true };
  let theRegister: Register | undefined;
  const { clockOffsetLimitMs = CLOCK_OFFSET_LIMIT_MS } = settings;
  const isClockGood = (offsetMs: number) => Math.abs(offsetMs) <= clockOffsetLimitMs;

  const newRequestId = () => formatId("req", uuidV7(now(), random));
  const onError = (name: string, error: unknown) =>
    log("error", "job_failed", { name, error: describeError(error) });

  async function start() {
    checkProductionSettings(settings);
    const { environment, masterKeys, nonceRetentionSeconds = NONCE_RETENTION_SECONDS } = settings;
    const database = openDatabase(settings.databaseUrl, {
      maxConnections: settings.databaseConnections,
      applicationName: "sabika-server",
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
    });
    opened.push(() => database.close());
    // Lists and statements have connections of their own: however slow, they hold up no trade.
    const readingDatabase = openDatabase(settings.databaseUrl, {
      maxConnections: READING_CONNECTIONS,
      applicationName: "sabika-server-reading",
      statementTimeoutMs: READING_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
    });
    opened.push(() => readingDatabase.close());
    if (environment === "production") await checkProductionDatabase(database);
    await bringUpToDate(settings.databaseUrl);
    const { secrets } = await openDeployment({
      database,
      masterKeys,
      reloadMasterKeys: settings.reloadMasterKeys,
      environment,
      nowMs: now(),
      random,
    });

    const register = theRegister = createRegister({
      database,
      secrets,
      now,
      onError: (error) => onError("register", error),
    });
    opened.push(() => register.close());
    await register.refresh();
    const prices = givenPrices ?? await configuredPrices(database, secrets);
    opened.push(() => prices.close?.());

    const tracing = settings.otlpEndpoint === undefined
      ? undefined
      : await openTelemetry(settings.otlpEndpoint, environment);
    if (tracing !== undefined) opened.push(() => tracing.close());

    const isServing = () => isClockGood(databaseState.offsetMs);
    const isReady = async () => !isDraining && isServing() && await renewRegister(register, now);
    const metrics = createMetrics({
      queueDepth: () => trading.queueDepth(),
      priceAgeSeconds: () => {
        const latest = prices.latest(now());
        return latest.ok ? (now() - latest.asOfMs) / 1000 : undefined;
      },
      isRegisterFresh: () => register.isFresh(now()),
      clockOffsetSeconds: () => databaseState.offsetMs / 1000,
      residentMemoryBytes: () => process.memoryUsage.rss(),
      isReady: () => !isDraining && isServing() && register.isFresh(now()),
      fromDatabase: () => readDatabaseFigures(database, now()),
    });
    const trading = createTrading({ database, prices, random, now, observe: metrics });

    // Before anybody is let in: a quote's end is judged by this clock.
    databaseState = await readDatabaseState(database, now);
    opened.push(startJobs(
      housekeepingJobs({
        database,
        now,
        random,
        nonceRetentionSeconds,
        onDatabaseState: (state) => {
          const isGood = isClockGood(state.offsetMs);
          if (isServing() !== isGood) log("warning", isGood ? "clock_good_again" : "clock_off");
          if (databaseState.takesWrites !== state.takesWrites) {
            log(
              "warning",
              state.takesWrites ? "database_takes_writes_again" : "database_read_only",
            );
          }
          databaseState = state;
        },
        checkingDatabase: readingDatabase,
        onWrongBalances: ({ clientId, differences, isStopped }) => {
          const all = Object.entries(differences).map(([account, what]) => `${account} ${what}`);
          log("error", "balances_wrong", { partner: clientId, reason: all.join("; ") });
          if (isStopped) log("error", "partner_stopped", { partner: clientId });
        },
      }),
      onError,
    ));
    const worker = createWebhookWorker({
      database,
      readSecrets: (partnerId, nowMs) =>
        readWebhookSecrets(database.sql, secrets, partnerId, nowMs),
      environment,
      endpointPolicy: { allowLoopback: settings.webhookAllowLoopback ?? false },
      extraCaPem: settings.webhookCaPem,
      now,
      random,
      log: webhookLog(log, (partnerId) => register.byPartnerId(partnerId)?.clientId),
      metrics: { attempt: (result, seconds) => metrics.webhookAttempt(result, seconds) },
    });
    if (settings.deliverWebhooks ?? true) {
      worker.start();
      opened.push(() => worker.stop());
    }

    let watchPort: number | undefined;
    if (settings.watch !== undefined) {
      const watch = await listenWatch(settings.watch, metrics, isReady);
      watchPort = watch.port;
      opened.push(() => watch.close());
    }

    // The door opens last.
    const common = {
      environment,
      register,
      matchesClientSecret: (partner: PartnerRecord | undefined, secret: string, nowMs: number) =>
        matchesClientSecret(secrets, partner?.clientSecrets, secret, nowMs),
      trading,
      reading: createReading({ database: readingDatabase, environment, now }),
      redeliver: async (of: Parameters<RedeliverEvent>[0]) => {
        const isKnown = await requestRedelivery(database.sql, of);
        if (isKnown) worker.wake();
        return isKnown;
      },
      metrics,
      tracing,
      log,
      accessLog: settings.accessLog ?? "all",
      now,
      random,
      isServing,
      isHealthy: async () =>
        isServing() && databaseState.takesWrites && prices.latest(now()).ok &&
        await renewRegister(register, now),
      isDraining: () => isDraining,
    } as const;
    const unreadable: Unreadable = {
      newRequestId,
      onUnreadable(status, code, requestId) {
        metrics.request("none", status, code, 0);
        log("info", "unreadable_request", { request_id: requestId, status, code });
      },
    };
    const door = await openDoor(settings, common, { unreadable, isReady, onError });
    opened.push(() => door.close(PATIENCE_MS));
    log("info", "serving", { base_url: door.baseUrl });
    return { baseUrl: door.baseUrl, port: door.port, watchPort };
  }

  async function configuredPrices(
    database: Database,
    secrets: Deployment["secrets"],
  ): Promise<PriceSource> {
    const prices = createConfiguredPrices({
      database,
      secrets,
      environment: settings.environment,
      fetch,
      now,
      onError: (error) => onError("prices", error),
    });
    await prices.refresh();
    return prices;
  }

  /** Another instance may be at a long migration, and so may this one: without a limit. */
  async function bringUpToDate(databaseUrl: string) {
    const database = openDatabase(databaseUrl, { maxConnections: 1 });
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
  }

  async function stop() {
    isDraining = true;
    const drainSeconds = settings.drainSeconds ?? (settings.listen.kind === "sidecar" ? 3 : 0);
    if (opened.length > 0) {
      log("info", "draining");
      await new Promise((resolve) => setTimeout(resolve, drainSeconds * 1000));
    }
    await close();
    log("info", "stopped");
  }

  async function close() {
    for (let closeOne = opened.pop(); closeOne !== undefined; closeOne = opened.pop()) {
      await closeOne();
    }
  }

  return {
    async start() {
      try {
        return await start();
      } catch (error) {
        await close();
        throw error;
      }
    },
    refresh: async () => await theRegister?.refresh(),
    stop,
  };
}
