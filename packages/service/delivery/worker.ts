import { type Environment, uuidV7 } from "@sabika/protocol";
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
  /** The webhook secrets of a partner that are valid at a moment; each signs. */
  readSecrets: (partnerId: number, nowMs: number) => Promise<string[]>;
  environment: Environment;
  /** Loopback only in the sandbox; `resolve` is `resolveHost` if left out. */
  endpointPolicy?: {
    allowLoopback?: boolean;
    resolve?: (hostname: string) => Promise<ResolvedAddress[]>;
  };
  /** A CA that is trusted beside the system's: the sandbox's own. */
  extraCaPem?: string;
  /** Epoch milliseconds. */
  now: () => number;
  random: (length: number) => Uint8Array;
  /** For tests: takes the place of the https connection. */
  connect?: (options: EndpointOptions) => EndpointConnection;
  log?: WebhookLog;
  metrics?: WebhookMetrics;
  /** For tests: of one attempt; else 15 000 (Decision D35). */
  timeoutMs?: number;
  /** For tests: lanes that are delivered at once. */
  concurrency?: number;
  /** Whether partners need this process now: then delivery slows down. Never if left out. */
  isBusy?: () => boolean;
  /** False while this clock cannot be relied on: it signs a delivery's time. Always if left out. */
  isClockGood?: () => boolean;
  /** For tests: how often to poll when nobody calls `wake`. */
  pollMs?: number;
}

/** Delivers the outbox. Every instance may run one. */
export interface WebhookWorker {
  start(): void;
  /** Takes nothing new, and waits for what is under way. */
  stop(): Promise<void>;
  /** Something was written: poll soon. Cheap, may be called for every order. */
  wake(): void;
  /** Sends one event once, beside all schedules, signed with these secrets (Decision D55). */
  sendWith(
    event: { partnerId: number; sequence: bigint; url: string },
    secrets: string[],
  ): Promise<void>;
  /** Delivers all that is due at this moment; without timers, for tests and single runs. */
  runDue(): Promise<void>;
}

const TIMEOUT_MS = 15_000;
const CONCURRENCY = 64;
const POLL_MS = 250;
/** Attempts a second while it is busy: some 6 % of a processor core. */
const BUSY_PER_SECOND = 300;

/**
 * Makes the worker that delivers webhooks (Decisions D33, D35, D36, D54): at least once, some at once
 * for each partner or strictly in sequence, with one cursor a partner and no row an event. It leases
 * lanes in the database, so several workers share the work, and another one takes over that of a
 * crashed one within seconds.
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

/** Attempts one event by itself, over a connection of its own. */
async function sendOnce(
  parts: Omit<DeliveryParts, "goesOn">,
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
    visit.close();
    await parts.attempts.written();
  } finally {
    connections.close();
  }
}
