import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** What Prometheus reads. One registry a service, so that several can live in one process. */
export interface Metrics {
  readonly contentType: string;
  /** Everything as Prometheus reads it, as of now. */
  text(): Promise<string>;
  /** A request has been answered. `code` is the error code, or `ok`. */
  request(route: string, status: number, code: string, seconds: number): void;
  /** A batch of one kind of write has been committed, or has failed. */
  batch(kind: string, size: number, seconds: number): void;
  /** One attempt to deliver a webhook is over. */
  webhookAttempt(result: string, seconds: number): void;
}

/** What is asked at the moment of a scrape. */
export interface MetricSources {
  queueDepth(): number;
  priceAgeSeconds(): number | undefined;
  isRegisterFresh(): boolean;
  clockOffsetSeconds(): number;
  residentMemoryBytes(): number;
  isReady(): boolean;
  /** From the database, at most once a scrape; undefined when it does not answer. */
  fromDatabase(): Promise<DatabaseFigures | undefined>;
}

/** What only the database knows. */
export interface DatabaseFigures {
  readonly outboxLagSeconds: number;
  readonly outboxPending: number;
  /** Endpoints that answered 410, or were given up, and wait for the operator. */
  readonly disabledEndpoints: number;
  readonly noncePartitions: number;
  /** Partners whose balances are not the sums of their transfers. */
  readonly wrongBalances: number;
  /** Since all balances were checked; undefined when they never were. */
  readonly balancesAgeSeconds: number | undefined;
  readonly credentials: readonly { clientId: string; kind: string; daysLeft: number }[];
}

/** From 1 ms, where most answers are, to 10 s, where the sidecar has long given up. */
const LATENCY_BUCKETS = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
];

/** The names of all metrics of this file; the dashboard and the alerts may use no other. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: "sabika_http_requests_total",
    help: "Requests answered, by route, status and error code (ok when there is none).",
    labelNames: ["route", "status", "code"],
    registers,
  });
  const latency = new Histogram({
    name: "sabika_http_request_duration_seconds",
    help: "Time from the receipt of a request to its answer, by route.",
    labelNames: ["route"],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const batchSize = new Histogram({
    name: "sabika_batch_size",
    help: "Writes of a kind that went to the database together.",
    labelNames: ["kind"],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  });
  const commit = new Histogram({
    name: "sabika_batch_commit_duration_seconds",
    help: "Round trip of a batch of writes, its commit included.",
    labelNames: ["kind"],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const attempts = new Histogram({
    name: "sabika_webhook_attempt_duration_seconds",
    help: "Attempts to deliver a webhook, by their result.",
    labelNames: ["result"],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  gauge("sabika_queue_depth", "Writes that wait for the next batch.", sources.queueDepth);
  gauge(
    "sabika_price_age_seconds",
    "Age of the latest price; NaN without one.",
    () => sources.priceAgeSeconds() ?? Number.NaN,
  );
  gauge(
    "sabika_register_fresh",
    "1 when this instance's picture of the partners is up to date.",
    () => sources.isRegisterFresh() ? 1 : 0,
  );
  gauge(
    "sabika_clock_offset_seconds",
    "This instance's clock minus the database's.",
    sources.clockOffsetSeconds,
  );
  gauge(
    "sabika_process_resident_memory_bytes",
    "Resident memory of this process.",
    sources.residentMemoryBytes,
  );
  gauge("sabika_ready", "1 when the instance serves.", () => sources.isReady() ? 1 : 0);

  const outboxLag = plain(
    "sabika_outbox_lag_seconds",
    "Age of the oldest event not yet delivered.",
  );
  const outboxPending = plain("sabika_outbox_pending_events", "Events not yet delivered.");
  const disabled = plain(
    "sabika_webhook_endpoints_disabled",
    "Partners whose webhook endpoint is switched off until the operator sets it again.",
  );
  const partitions = plain(
    "sabika_nonce_partitions",
    "Partitions of the nonce store that are open.",
  );
  const wrongBalances = plain(
    "sabika_balances_wrong",
    "Partners whose balances are not the sums of their transfers; they are suspended.",
  );
  const balancesAge = plain(
    "sabika_balances_check_age_seconds",
    "Time since all balances were last compared with the transfers; NaN before the first time.",
  );
  const credentials = new Gauge({
    name: "sabika_credential_days_left",
    help: "Days until the last credential of a kind ends, by partner.",
    labelNames: ["partner", "kind"],
    registers,
  });
  const databaseUp = plain("sabika_database_up", "1 when the database answered this scrape.");

  async function text(): Promise<string> {
    const figures = await sources.fromDatabase();
    databaseUp.set(figures === undefined ? 0 : 1);
    if (figures !== undefined) {
      outboxLag.set(figures.outboxLagSeconds);
      outboxPending.set(figures.outboxPending);
      disabled.set(figures.disabledEndpoints);
      partitions.set(figures.noncePartitions);
      wrongBalances.set(figures.wrongBalances);
      balancesAge.set(figures.balancesAgeSeconds ?? Number.NaN);
      credentials.reset();
      for (const { clientId, kind, daysLeft } of figures.credentials) {
        credentials.set({ partner: clientId, kind }, daysLeft);
      }
    }
    return await registry.metrics();
  }

  function plain(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers });
  }
  function gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  }

  return {
    contentType: registry.contentType,
    text,
    request(route, status, code, seconds) {
      requests.inc({ route, status, code });
      latency.observe({ route }, seconds);
    },
    batch(kind, size, seconds) {
      batchSize.observe({ kind }, size);
      commit.observe({ kind }, seconds);
    },
    webhookAttempt: (result, seconds) => attempts.observe({ result }, seconds),
  };
}
