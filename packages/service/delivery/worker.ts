import { type Environment, uuidV7, WEBHOOK_TIMEOUT_SECONDS } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { type ResolvedAddress, resolveHost } from "@sabika/network";
import { createAttemptLog } from "./attempt_log.ts";
import type { DeliveryParts } from "./deliver_lane.ts";
import { paceDelivery } from "./delivery_pace.ts";
import { openVisit, type WebhookLog, type WebhookMetrics } from "./endpoint_visit.ts";
import { keepConnections } from "./kept_connections.ts";
import { laneStoreIn } from "./lane_store.ts";
import {
  connectEndpoint,
  type EndpointConnection,
  type EndpointOptions,
  trustAuthorities,
} from "./post_webhook.ts";
import { runLanes } from "./run_lanes.ts";

/** What a worker delivers, and how. */
export interface WebhookWorkerOptions {
  database: Database;
  /** A partner's webhook secrets that are valid at a time; every one of them signs. */
  readSecrets: (partnerId: number, nowMs: number) => Promise<string[]>;
  environment: Environment;
  /** Loopback only in the sandbox; `resolve` is `resolveHost` if left out. */
  endpointPolicy?: {
    allowLoopback?: boolean;
    resolve?: (hostname: string) => Promise<ResolvedAddress[]>;
  };
  /** A CA trusted in addition to the system's, such as the sandbox's own. */
  extraCaPem?: string;
  /** Epoch milliseconds. */
  now: () => number;
  /** The time that deliveries are signed with; `now` if left out. */
  realNow?: () => number;
  random: (length: number) => Uint8Array;
  /** For tests: takes the place of the https connection. */
  connect?: (options: EndpointOptions) => EndpointConnection;
  log?: WebhookLog;
  metrics?: WebhookMetrics;
  /** For tests: the time limit of one attempt; 15 000 by default (Decision D35). */
  timeoutMs?: number;
  /** For tests: how many lanes are delivered at once. */
  concurrency?: number;
  /** Whether partners need this process now, so that delivery slows down; never by default. */
  isBusy?: () => boolean;
  /** False while this clock, whose time is signed, cannot be relied on; always true by default. */
  isClockGood?: () => boolean;
  /** For tests: how often to poll when nobody calls `wake`. */
  pollMs?: number;
}

/** Delivers the outbox. Every instance may run a worker. */
export interface WebhookWorker {
  start(): void;
  /** Begins nothing more, and waits for deliveries in flight. */
  stop(): Promise<void>;
  /** Polls soon, because an event was written. Cheap enough to call for every order. */
  wake(): void;
  /** Sends one event once, outside of all schedules, signed with these secrets (Decision D55). */
  sendWith(
    event: { partnerId: number; sequence: bigint; url: string },
    secrets: string[],
  ): Promise<void>;
  /** Delivers everything that is due now, without timers; for tests and single runs. */
  runDue(): Promise<void>;
}

const TIMEOUT_MS = WEBHOOK_TIMEOUT_SECONDS * 1_000;
const CONCURRENCY = 64;
const POLL_MS = 250;
/** Attempts a second while the process is busy: about 6 % of a processor core. */
const BUSY_PER_SECOND = 300;

/**
 * Creates the worker that delivers webhooks (Decisions D33, D35, D36, D54): at least once, several at a
 * time for each partner or strictly in sequence, with a cursor for each partner and no row for each
 * event. Workers lease lanes in the database, so they share the work, and another worker takes over
 * the lanes of a crashed one within seconds.
 */
export function createWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { now, concurrency = CONCURRENCY, pollMs = POLL_MS, timeoutMs = TIMEOUT_MS } = options;
  const store = laneStoreIn(options.database.sql);
  const connections = keepConnections(options.connect ?? connectEndpoint, now);
  const pace = paceDelivery(options.isBusy ?? (() => false), BUSY_PER_SECOND);
  const parts = {
    store,
    pace: pace.take,
    readSecrets: options.readSecrets,
    environment: options.environment,
    policy: {
      allowLoopback: options.endpointPolicy?.allowLoopback ?? false,
      resolve: options.endpointPolicy?.resolve ?? resolveHost,
    },
    trust: trustAuthorities(options.extraCaPem),
    connections,
    now,
    realNow: options.realNow ?? now,
    random: options.random,
    timeoutMs,
    log: options.log ?? { warn: () => {}, error: () => {} },
    metrics: options.metrics ?? { attempt: () => {} },
    attempts: createAttemptLog(store.recordAttempts),
  };
  const lanes = runLanes({
    parts,
    owner: uuidV7(now(), options.random),
    concurrency,
    pollMs,
    isClockGood: options.isClockGood ?? (() => true),
  });

  return {
    start: lanes.start,
    async stop() {
      const stopped = lanes.stop();
      pace.stop();
      await stopped;
      connections.close();
    },
    wake: lanes.wake,
    sendWith: (event, secrets) => sendOnce(parts, options.connect, event, secrets),
    runDue: lanes.runDue,
  };
}

/** Attempts one event over its own connection. */
async function sendOnce(
  parts: Omit<DeliveryParts, "mayContinue">,
  connect: WebhookWorkerOptions["connect"] = connectEndpoint,
  { partnerId, sequence, url }: Parameters<WebhookWorker["sendWith"]>[0],
  secrets: Parameters<WebhookWorker["sendWith"]>[1],
): Promise<void> {
  const connections = keepConnections(connect, parts.now);
  const readSecrets = () => Promise.resolve(secrets);
  try {
    const [row] = await parts.store.events({ partnerId, fromSequence: sequence, limit: 1 });
    const to = { partnerId, url, inFlight: 1 };
    const visit = await openVisit({ ...parts, connections, readSecrets }, to);
    if (row) await visit.attempt(row, 1);
    await parts.attempts.written();
  } finally {
    connections.close();
  }
}
