import type { Standbys } from "@sabika/database";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { DatabaseFigures } from "./database_figures.ts";
import { createGauges, createLabelledGauges, type GaugeRow } from "./gauges.ts";
import { GAUGES, type MetricSources } from "./instance_gauges.ts";

/** The metrics for Prometheus. Each service has its own registry, so several can run in one process. */
export interface Metrics {
  readonly contentType: string;
  /** All metrics as of now, in the text format of Prometheus. */
  text(): Promise<string>;
  /** A request has been answered. `code` is the error code, or `ok`. */
  request(route: string, status: number, code: string, seconds: number): void;
  /** A token or signature was verified and is wrong. */
  failedVerification(verification: string): void;
  /** A batch of one kind of write has been committed, or has failed. */
  batch(kind: string, size: number, seconds: number): void;
  /** Records an attempt to deliver a webhook. */
  webhookAttempt(result: string, seconds: number): void;
}

/** In seconds, from 1 ms, where most answers are, to 10 s, when the sidecar has given up. */
const LATENCY_BUCKETS = [0.001, 0.01, 0.1, 1].flatMap((s) => [s, 2.5 * s, 5 * s]).concat(10);

// The metrics of the server: dashboard and alerts use each of them, and no other `sabika_` name.

const REQUESTS = {
  name: "sabika_http_requests_total",
  help: "Requests answered, by route, status and error code (ok when there is none).",
  labelNames: ["route", "status", "code"],
} as const;

const FAILED_SHARES = {
  name: "sabika_failed_writes_share",
  help: "Share of the writes of a kind that failed in a cell in the last 10 seconds, 0 to 1.",
  labelNames: ["cell", "kind"],
} as const;

const FAILED_VERIFICATIONS = {
  name: "sabika_failed_verifications_total",
  help: "Tokens and signatures that were verified and are wrong.",
  labelNames: ["what"],
} as const;

const HISTOGRAMS = {
  latency: {
    name: "sabika_http_request_duration_seconds",
    help: "Time from the receipt of a request to its answer, by route.",
    labelNames: ["route"],
    buckets: LATENCY_BUCKETS,
  },
  batchSize: {
    name: "sabika_batch_size",
    help: "Writes of a kind that went to the database together.",
    labelNames: ["kind"],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  },
  commit: {
    name: "sabika_batch_commit_duration_seconds",
    help: "Round trip of a batch of writes, including its commit.",
    labelNames: ["kind"],
    buckets: LATENCY_BUCKETS,
  },
  attempts: {
    name: "sabika_webhook_attempt_duration_seconds",
    help: "Attempts to deliver a webhook, by their result.",
    labelNames: ["result"],
    buckets: LATENCY_BUCKETS,
  },
};

const DATABASE_GAUGES: readonly GaugeRow<DatabaseFigures>[] = [
  [
    "sabika_outbox_lag_seconds",
    "Age of the oldest event not yet delivered.",
    (figures) => Math.max(0, ...enabledOf(figures).map(({ lagSeconds }) => lagSeconds)),
  ],
  [
    "sabika_outbox_pending_events",
    "Events not yet delivered.",
    (figures) => enabledOf(figures).reduce((sum, { pendingEvents }) => sum + pendingEvents, 0),
  ],
  [
    "sabika_webhook_endpoints_disabled",
    "Webhook endpoints that are disabled.",
    (figures) => figures.endpoints.length - enabledOf(figures).length,
  ],
  [
    "sabika_nonce_partitions",
    "Partitions of the nonce store.",
    ({ noncePartitions }) => noncePartitions,
  ],
  [
    "sabika_balances_wrong",
    "Partners whose balances are not the sums of their transfers; they are suspended.",
    ({ balances }) => balances.wrongBalances,
  ],
  [
    "sabika_break_glasses",
    "How often somebody acted without a person, as the owner, ever.",
    ({ breakGlasses }) => breakGlasses,
  ],
  [
    "sabika_balances_check_age_seconds",
    "Time since all balances were last compared with the transfers; NaN before the first time.",
    ({ balances }) => balances.ageSeconds ?? Number.NaN,
  ],
  [
    "sabika_receipt_lag_seconds",
    "How long the oldest order waits for its receipt.",
    ({ receiptLagSeconds }) => receiptLagSeconds,
  ],
];

function enabledOf({ endpoints }: DatabaseFigures): DatabaseFigures["endpoints"] {
  return endpoints.filter(({ status }) => status !== "disabled");
}

/** Gauges of each partner's endpoint, from its state and the moment of the scrape. */
const ENDPOINT_GAUGES: readonly GaugeRow<
  DatabaseFigures["endpoints"][number] & { readonly nowMs: number }
>[] = [
  [
    "sabika_webhook_endpoint_failing_seconds",
    "How long no attempt at a partner's endpoint was accepted; 0 while the last one was.",
    ({ status, sinceMs, nowMs }) => status === "failing" ? (nowMs - sinceMs!) / 1_000 : 0,
  ],
  [
    "sabika_webhook_endpoint_disabled",
    "1 when a partner's endpoint is disabled.",
    ({ status }) => Number(status === "disabled"),
  ],
  [
    "sabika_webhook_endpoint_lag_seconds",
    "Age of a partner's oldest event not yet delivered.",
    ({ lagSeconds }) => lagSeconds,
  ],
];

/** Gauges of each cell beside control's own; there are none without such cells. */
const CELL_GAUGES: readonly GaugeRow<DatabaseFigures["cells"][number]>[] = [
  [
    "sabika_cell_up",
    "1 when the cell can be used and answered in time.",
    ({ isUp }) => Number(isUp),
  ],
  [
    "sabika_cell_open_acts_seconds",
    "How long the oldest act waits that control recorded and the cell is to book; 0 without one.",
    ({ openActsSeconds }) => openActsSeconds,
  ],
];

/** Gauges of the standbys of each cell. */
const STANDBY_GAUGES: readonly GaugeRow<Pick<Standbys, "lagMs">>[] = [
  [
    "sabika_standby_lag_seconds",
    "How far a cell's freshest standby is behind at most; NaN while none is known.",
    ({ lagMs }) => (lagMs() ?? Number.NaN) / 1_000,
  ],
];

const PAST_READS = {
  name: "sabika_past_reads_total",
  help: "Reads of the past, by cell and where they went.",
  labelNames: ["cell", "database"],
} as const;

const CREDENTIALS = {
  name: "sabika_credential_days_left",
  help: "Days until the last credential of a kind ends, by partner.",
  labelNames: ["partner", "kind"],
} as const;

const MOVES = {
  name: "sabika_move_open_seconds",
  help: "How long a partner's move to another cell has been open, by partner and the move's step.",
  labelNames: ["partner", "step"],
} as const;

/** Makes the metrics of one service. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({ ...REQUESTS, registers });
  const failedVerifications = new Counter({ ...FAILED_VERIFICATIONS, registers });
  // Initialised with 0, since a rate ignores the first value of a series.
  for (const what of ["token", "signature"]) failedVerifications.inc({ what }, 0);
  const latency = new Histogram({ ...HISTOGRAMS.latency, registers });
  const batchSize = new Histogram({ ...HISTOGRAMS.batchSize, registers });
  const commit = new Histogram({ ...HISTOGRAMS.commit, registers });
  const attempts = new Histogram({ ...HISTOGRAMS.attempts, registers });
  const setGauges = createGauges(GAUGES, registers);
  const setDatabaseGauges = createGauges(DATABASE_GAUGES, registers);
  const credentials = new Gauge({ ...CREDENTIALS, registers });
  const moves = new Gauge({ ...MOVES, registers });
  const setEndpoints = createLabelledGauges(ENDPOINT_GAUGES, "partner", registers);
  const setCells = createLabelledGauges(CELL_GAUGES, "cell", registers);
  const setStandbys = createLabelledGauges(STANDBY_GAUGES, "cell", registers);
  const pastReads = new Counter({ ...PAST_READS, registers });
  const failedShares = new Gauge({ ...FAILED_SHARES, registers });
  const databaseUp = new Gauge({
    name: "sabika_database_up",
    help: "1 when the database answered this scrape.",
    registers,
  });

  return {
    contentType: registry.contentType,
    async text() {
      const figures = await sources.fromDatabase();
      setGauges(sources);
      failedShares.reset();
      for (const { cellId: cell, kind, share } of sources.failedShares()) {
        failedShares.set({ cell, kind }, share);
      }
      const standbys = sources.standbys();
      setStandbys(standbys);
      pastReads.reset();
      for (const [cell, { reads }] of standbys) {
        for (const [database, count] of Object.entries(reads)) {
          pastReads.inc({ cell, database }, count);
        }
      }
      databaseUp.set(Number(figures !== undefined));
      if (figures !== undefined) {
        setDatabaseGauges(figures);
        credentials.reset();
        for (const { clientId, kind, daysLeft } of figures.credentials) {
          credentials.set({ partner: clientId, kind }, daysLeft);
        }
        moves.reset();
        for (const { clientId, step, openSeconds } of figures.moves) {
          moves.set({ partner: clientId, step }, openSeconds);
        }
        setCells(figures.cells.map((cell) => [cell.cellId, cell]));
        const { nowMs } = figures;
        setEndpoints(
          figures.endpoints.map((endpoint) => [endpoint.clientId, { ...endpoint, nowMs }]),
        );
      }
      return await registry.metrics();
    },
    request(route, status, code, seconds) {
      requests.inc({ route, status, code });
      latency.observe({ route }, seconds);
    },
    failedVerification: (what) => failedVerifications.inc({ what }),
    batch(kind, size, seconds) {
      batchSize.observe({ kind }, size);
      commit.observe({ kind }, seconds);
    },
    webhookAttempt: (result, seconds) => attempts.observe({ result }, seconds),
  };
}
