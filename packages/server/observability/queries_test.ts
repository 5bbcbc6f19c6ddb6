import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { SOURCES } from "../../../test/support/metric_sources.ts";
import { FAILING_SHARE } from "../write_shares.ts";
import { createMetrics } from "./metrics.ts";
import { each } from "../../../test/support/each.ts";
import { ENVOY_METRICS } from "../../../test/support/envoy_metrics.ts";

// Every query of the dashboard and of the alert rules names metrics that exist: the server's own,
// asked from itself, the sidecar's, which packages/sidecar/admin_envoy_test.ts sees on a real Envoy, and
// the database's, which test/faults/observability_fault_test.ts sees from its exporter.

const ENVOY = new Set(ENVOY_METRICS);
const POSTGRES = new Set(each(`
  pg_database_size_bytes pg_long_running_transactions_oldest_timestamp_seconds pg_replication_lag_seconds
  pg_replication_slot_slot_confirmed_flush_lsn pg_replication_slot_slot_current_wal_lsn
  pg_settings_max_connections pg_stat_activity_count pg_stat_archiver_failed_count
  pg_stat_database_deadlocks pg_stat_database_xact_commit pg_stat_database_xact_rollback pg_up
  pg_wal_size_bytes up`));

const metrics = createMetrics({
  ...SOURCES,
  fromDatabase: () =>
    Promise.resolve({
      nowMs: 0,
      endpoints: [{
        partnerId: 1,
        clientId: "demo",
        status: "healthy",
        sinceMs: null,
        disabledBy: null,
        failure: null,
        inFlight: 16,
        pendingEvents: 0,
        oldestPending: null,
        lagSeconds: 0,
      }],
      noncePartitions: 6,
      balances: { wrongBalances: 0, ageSeconds: 3 },
      receiptLagSeconds: 2,
      breakGlasses: 0,
      credentials: [{ clientId: "demo", kind: "certificate", daysLeft: 30 }],
      cells: [{ cellId: "b", isUp: true, openActsSeconds: 0 }],
      moves: [{ clientId: "bank-one", step: "copying", openSeconds: 1 }],
    }),
});
metrics.request("/v1/orders", 201, "ok", 0.01);
metrics.failedVerification("token");
metrics.batch("order", 3, 0.004);
metrics.webhookAttempt("delivered", 0.1);
const exposed = await metrics.text();
const SERVER = new Map<string, Set<string>>();
for (const line of exposed.split("\n")) {
  const match = /^([a-z_]+)(?:\{(.*)\})? /.exec(line);
  if (match === null) continue;
  const labels = [...(match[2] ?? "").matchAll(/([a-z_]+)="/g)].map(([, name]) => name!);
  SERVER.set(match[1]!, new Set([...SERVER.get(match[1]!) ?? [], ...labels]));
}

/** The metrics that a query names, each with the labels that it filters by. */
function metricsIn(query: string): { name: string; labels: string[] }[] {
  return [...query.matchAll(/\b((?:sabika|envoy|pg)_[a-z0-9_]+|up\b)(?:\{([^}]*)\})?/g)].map(
    ([, name, filter]) => ({
      name: name!,
      labels: [...(filter ?? "").matchAll(/([a-z_]+)(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
    }),
  );
}

/** Returns what is wrong with a query; empty if nothing is. */
function faultsOf(query: string): string[] {
  const found = metricsIn(query);
  const faults = found.length === 0 ? [`no metric in ${query}`] : [];
  for (const { name, labels } of found) {
    const known = SERVER.get(name);
    if (known === undefined && !ENVOY.has(name) && !POSTGRES.has(name)) {
      faults.push(`no metric ${name}`);
    }
    for (const label of known === undefined ? [] : labels) {
      // Prometheus itself adds these.
      if (label !== "instance" && label !== "job" && !known!.has(label)) {
        faults.push(`${name} has no label ${label}`);
      }
    }
  }
  return faults;
}

const read = (name: string) =>
  readFile(new URL(`../../../docs/observability/${name}`, import.meta.url), "utf8");

test("every query of the dashboard names metrics that exist", async () => {
  const dashboard = JSON.parse(await read("dashboard.json"));
  let queries = 0;
  for (const panel of dashboard.panels) {
    for (const { expr } of panel.targets ?? []) {
      queries++;
      assertEquals(faultsOf(expr), [], panel.title);
    }
  }
  assert(queries > 25);
});

test("every alert rule names metrics that exist, and says whom it calls", async () => {
  const { groups } = parse(await read("alerts.yaml"));
  const names = new Set<string>();
  for (const group of groups) {
    for (const rule of group.rules) {
      assert(!names.has(rule.alert), `${rule.alert} is there twice`);
      names.add(rule.alert);
      assertEquals(faultsOf(rule.expr), [], rule.alert);
      assert(["page", "ticket"].includes(rule.labels.severity), rule.alert);
    }
  }
  assert(names.size > 20);
});

test("the alert on failing writes and /health have one bound", async () => {
  const { groups } = parse(await read("alerts.yaml"));
  const rules = groups.flatMap((group: { rules: { alert: string; expr: string }[] }) =>
    group.rules
  );
  const found = rules.find(({ alert }: { alert: string }) => alert === "SabikaWritesFail");
  assertEquals(found.expr, `sabika_failed_writes_share > ${FAILING_SHARE}`);
});

test("every metric of the server is in the dashboard or an alert", async () => {
  const watched = await read("dashboard.json") + await read("alerts.yaml");
  const families = [...SERVER.keys()].map((name) => name.replace(/_(?:bucket|sum|count)$/, ""));
  assertEquals([...new Set(families)].filter((name) => !watched.includes(name)), []);
});
