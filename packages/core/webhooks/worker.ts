import { type Environment, uuidV7 } from "@sabika/protocol";
import type { Database } from "../store/database.ts";
import { createAttemptLog } from "./attempt_log.ts";
import { type ResolvedAddress, resolveHost } from "../network/resolve_host.ts";
import { deliverLane, type DeliveryParts } from "./deliver_lane.ts";
import { openVisit, type WebhookLog, type WebhookMetrics } from "./endpoint_visit.ts";
import { selectEvents } from "./event_rows.ts";
import { paceDelivery } from "./delivery_pace.ts";
import { keepConnections } from "./kept_connections.ts";
import {
  connectEndpoint,
  type EndpointConnection,
  type EndpointOptions,
  trustAuthorities,
} from "./post_webhook.ts";
import { type LeasedLane, leaseLanes, renewLeases } from "./webhook_lanes.ts";

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
  /** Takes the place of the https connection. */
  connect?: (options: EndpointOptions) => EndpointConnection;
  log?: WebhookLog;
  metrics?: WebhookMetrics;
  /** Of one attempt; 15 000 (Decision D35). */
  timeoutMs?: number;
  /** Lanes that are delivered at once. */
  concurrency?: number;
  /** Whether partners need this process now: then delivery slows down. Never if left out. */
  isBusy?: () => boolean;
  /** False while this clock cannot be relied on: it signs a delivery's time. Always if left out. */
  isClockGood?: () => boolean;
  /** How often to poll when nobody calls `wake`. */
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
/** What a worker that dies holds up the lanes it had (F76). */
const LEASE_MS = 5_000;
const RENEW_EVERY_MS = 1_500;
const CONCURRENCY = 64;
const POLL_MS = 250;
/** A statement whose answer never comes (a lost connection) must not end the polling. */
const POLL_TIMEOUT_MS = 30_000;
/** Polls are at least this far apart, however often `wake` is called. */
const SHORTEST_GAP_MS = 50;
/** Events after which a lane makes room for others that wait. */
const TURN = 500;
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
  const { sql } = options.database;
  const isClockGood = options.isClockGood ?? (() => true);
  const log = options.log ?? { warn: () => {}, error: () => {} };
  const connections = keepConnections(options.connect ?? connectEndpoint, now);
  const pace = paceDelivery(options.isBusy ?? (() => false), BUSY_PER_SECOND);
  const parts: DeliveryParts = {
    sql,
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
    goesOn: (begun) =>
      state !== "stopped" && isClockGood() && (begun < TURN || running.size < concurrency),
    log,
    metrics: options.metrics ?? { attempt: () => {} },
    attempts: createAttemptLog(sql),
  };
  const owner = uuidV7(now(), options.random);
  const running = new Map<LeasedLane, Promise<void>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewals: ReturnType<typeof setInterval> | undefined;
  let polling: Promise<void> | undefined;
  let state: "idle" | "started" | "stopped" = "idle";
  let woken = false;

  /** Leases what is due and starts delivering it; returns how many lanes that were. */
  async function poll(): Promise<number> {
    connections.sweep();
    const free = concurrency - running.size;
    if (free <= 0 || !isClockGood()) return 0;
    const besides = Array.from(running.keys(), ({ partnerId }) => partnerId);
    const [nowMs, limit] = [now(), free];
    const leased = await leaseLanes(sql, {
      owner,
      nowMs,
      untilMs: nowMs + LEASE_MS,
      besides,
      limit,
    });
    for (const lane of leased) {
      const work = deliverLane(parts, lane)
        .then((hasMore) => hasMore ? wake() : undefined)
        .catch((error) =>
          log.error("webhook delivery broke off", { partnerId: lane.partnerId, error })
        )
        .finally(() => running.delete(lane));
      running.set(lane, work);
    }
    return leased.length;
  }

  function renew(): void {
    renewLeases(sql, [...running.keys()], now() + LEASE_MS)
      .catch((error) => log.error("webhook leases cannot be renewed", { error }));
  }

  function schedule(ms: number): void {
    if (state !== "started") return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      woken = false;
      polling = within(POLL_TIMEOUT_MS, poll())
        .catch((error) => (log.error("webhook lanes cannot be read", { error }), 0))
        .then(() => schedule(woken ? SHORTEST_GAP_MS : pollMs))
        .finally(() => polling = undefined);
    }, ms);
  }

  function wake(): void {
    if (woken) return;
    woken = true;
    if (!polling) schedule(SHORTEST_GAP_MS);
  }

  return {
    start() {
      if (state !== "idle") return;
      state = "started";
      renewals = setInterval(renew, RENEW_EVERY_MS);
      schedule(0);
    },
    async stop() {
      state = "stopped";
      clearTimeout(timer);
      pace.stop();
      await polling;
      // What is under way ends by its own time; a lost statement would not.
      await within(timeoutMs + POLL_TIMEOUT_MS, Promise.all(running.values())).catch(() => {});
      clearInterval(renewals);
      connections.close();
    },
    wake,
    sendWith: (event, secrets) => sendOnce(parts, options.connect, event, secrets),
    async runDue() {
      while (await poll() > 0 || running.size > 0) await Promise.all(running.values());
    },
  };
}

/** Attempts one event by itself, over a connection of its own. */
async function sendOnce(
  parts: DeliveryParts,
  connect: WebhookWorkerOptions["connect"] = connectEndpoint,
  { partnerId, sequence, url }: Parameters<WebhookWorker["sendWith"]>[0],
  secrets: Parameters<WebhookWorker["sendWith"]>[1],
): Promise<void> {
  const connections = keepConnections(connect, parts.now);
  const readSecrets = () => Promise.resolve(secrets);
  try {
    const [row] = await selectEvents(parts.sql, { partnerId, fromSequence: sequence, limit: 1 });
    const to = { partnerId, url, inFlight: 1 };
    const visit = await openVisit({ ...parts, connections, readSecrets }, to);
    if (row) await visit.attempt(row, 1);
    visit.close();
    await parts.attempts.written();
  } finally {
    connections.close();
  }
}

/** The promise, or a rejection when it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
