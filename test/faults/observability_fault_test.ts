import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, openKit, SabikaError } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { parse, stringify } from "yaml";
import { findProgram } from "../../tools/programs/find_program.ts";
import { mustRun } from "../../tools/programs/run_program.ts";
import { operatorOf } from "../support/run_operator.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { startOrderLoad } from "../support/stack/order_load.ts";
import { openTestStack, stackEnvironment } from "../support/stack/stack_for_tests.ts";
import { startTestReceiver } from "../support/webhook_receiver.ts";
import { alertsOf, queryOf } from "./prometheus_answers.ts";
import { until } from "../support/until.ts";
import { hurriedRules } from "../support/stack/hurried_rules.ts";

// promtool tests the alerts with their real times on synthetic series, and every query of the dashboard and
// of the alerts runs on a real Prometheus that watches a real stack.

const PAGES = fileURLToPath(new URL("../../docs/observability/", import.meta.url));
const ALERTS = join(PAGES, "alerts.yaml");

interface Rule {
  alert: string;
  expr: string;
  for?: string;
}
const { groups } = parse(await readFile(ALERTS, "utf8")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Makes a series for promtool: twenty minutes of a good value and then a bad one, a sample every 15 s. */
const turns = (good: string, bad: string) => `${good}x80 ${bad}x80`;
/** A counter that is constant and then grows by 100 a second. */
const GROWS = turns("0", "0+1500");
const requests = (labels: string) => `sabika_http_requests_total{${labels}}`;
const ordersWithin = (seconds: string) =>
  `sabika_http_request_duration_seconds_bucket{route="/v1/orders",le="${seconds}"}`;
const slot = (column: string) =>
  `pg_replication_slot_slot_${column}{slot_name="sabika_b",slot_type="logical"}`;

const FORWARDED = 'envoy_cluster_upstream_rq_total{envoy_cluster_name="service"}';

/** Series for which an alert is quiet: nobody calls. */
const QUIET: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EnvoyRateLimitOff: { [FORWARDED]: "7x160", envoy_http_local_rate_limit_enabled: "7x160" },
};

/** The series for which each alert fires. */
const FAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SabikaNotReady: { sabika_ready: turns("1", "0") },
  SabikaDatabaseAway: { sabika_database_up: turns("1", "0") },
  SabikaCellAway: { 'sabika_cell_up{cell="b"}': turns("1", "0") },
  SabikaCellActsOpen: { 'sabika_cell_open_acts_seconds{cell="b"}': turns("0", "90") },
  SabikaMoveStands: {
    'sabika_move_open_seconds{partner="a",step="switched"}': turns("_", "60"),
  },
  SabikaMoveLong: { 'sabika_move_open_seconds{partner="a",step="copying"}': turns("60", "9000") },
  SabikaServerDown: { 'up{job="server"}': turns("1", "0") },
  SabikaServerErrors: {
    [requests('status="503"')]: GROWS,
    [requests('status="201"')]: turns("0+150", "12000+150"),
  },
  SabikaInternalErrors: { [requests('code="internal_error"')]: turns("_", "1") },
  SabikaOrdersSlow: {
    [ordersWithin("0.5")]: turns("0+150", "12000+15"),
    [ordersWithin("1")]: turns("0+150", "12000+150"),
    [ordersWithin("+Inf")]: turns("0+150", "12000+150"),
  },
  SabikaWritesFail: { sabika_failed_writes_share: turns("0", "0.5") },
  SabikaReceiptsLate: { sabika_receipt_lag_seconds: turns("1", "900") },
  SabikaQueueLong: { sabika_queue_depth: turns("3", "2000") },
  SabikaLogLost: { sabika_log_lines_lost: GROWS },
  SabikaClockOff: { sabika_clock_offset_seconds: turns("0.01", "-0.7") },
  SabikaControlAway: { sabika_control_away_seconds: turns("0", "20") },
  SabikaRegisterStale: { sabika_register_fresh: turns("1", "0") },
  // Without a price the value is NaN, which promtool cannot write; runbook_fault_test.ts has that case.
  SabikaPriceOld: { sabika_price_age_seconds: turns("1", "40") },
  SabikaNoPrice: { [requests('code="price_unavailable"')]: turns("_", "1") },
  SabikaInventoryEmpty: { [requests('code="inventory_unavailable"')]: turns("_", "1") },
  SabikaBalancesWrong: { sabika_balances_wrong: turns("0", "1") },
  SabikaBalancesUnchecked: { sabika_balances_check_age_seconds: turns("10", "300") },
  SabikaWebhooksLate: { sabika_webhook_endpoint_lag_seconds: turns("1", "900") },
  SabikaGlassBroken: { sabika_break_glasses: turns("0", "1") },
  SabikaWebhookEndpointFailing: {
    'sabika_webhook_endpoint_failing_seconds{partner="a"}': turns("0", "60"),
  },
  SabikaWebhookEndpointDisabled: {
    'sabika_webhook_endpoint_disabled{partner="a"}': turns("0", "1"),
  },
  SabikaNoncePartitionsMissing: { sabika_nonce_partitions: turns("6", "2") },
  SabikaCredentialEnding: { 'sabika_credential_days_left{partner="a"}': turns("90", "6") },
  SabikaForgedRequests: { [requests('code="nonce_reused"')]: GROWS },
  SabikaJunkCredentials: { 'sabika_failed_verifications_total{what="token"}': GROWS },
  EnvoyTlsRefused: {
    envoy_listener_ssl_fail_verify_error: GROWS,
    envoy_listener_ssl_fail_verify_no_cert: turns("0", "0"),
  },
  EnvoyConnectionsRefused: {
    'envoy_connection_limit_limited_connections{envoy_connection_limit_prefix="partner:a"}': GROWS,
  },
  EnvoyAddressesRefused: { envoy_listener_manager_lds_update_rejected: GROWS },
  EnvoyRateLimitOff: {
    [FORWARDED]: turns("0+150", "12000+150"),
    envoy_http_local_rate_limit_enabled: turns("0+150", "12000"),
  },
  EnvoyRateLimited: { envoy_http_local_rate_limit_rate_limited: GROWS },
  EnvoyKeepAliveRace: { envoy_cluster_upstream_cx_destroy_remote_with_active_rq: GROWS },
  EnvoyRotationFailed: { envoy_sds_update_rejected: GROWS },
  EnvoyCertificateEnding: {
    envoy_listener_ssl_certificate_expiration_unix_time_seconds: turns("8000000", "86400"),
  },
  EnvoyNoHealthyServer: {
    'envoy_cluster_membership_healthy{envoy_cluster_name="service"}': turns("2", "0"),
  },
  EnvoyAbuse: { envoy_http_downstream_rq_header_timeout: GROWS },
  PostgresDown: { 'pg_up{cell="b"}': turns("1", "0") },
  PostgresConnectionsShort: {
    'pg_stat_activity_count{instance="a",cell="b",state="idle"}': turns("20", "190"),
    'pg_settings_max_connections{instance="a",cell="b"}': turns("200", "200"),
  },
  PostgresLongTransaction: {
    pg_long_running_transactions_oldest_timestamp_seconds: turns("1", "400"),
  },
  PostgresArchiveFailing: { pg_stat_archiver_failed_count: GROWS },
  PostgresSlotUnread: {
    [slot("current_wal_lsn")]: turns("1000", "2000000000"),
    [slot("confirmed_flush_lsn")]: turns("1000", "1000"),
  },
};

const minutes = (time = "0m") => Number.parseInt(time) / (time.endsWith("s") ? 60 : 1);

test("every alert fires for its fault, at its time and not before (promtool)", async () => {
  assertEquals(Object.keys(FAULTS).sort(), rules.map(({ alert }) => alert).sort());
  const folder = temporaryFolder();
  const promtool = (await findProgram("promtool")).command;
  const tests = rules.map((rule) => {
    const firing = `count(ALERTS{alertname="${rule.alert}",alertstate="firing"})`;
    const expectation = (eval_time: string, values: number[]) => ({
      expr: firing,
      eval_time,
      exp_samples: values.map((value) => ({ labels: "{}", value })),
    });
    const heldFor = minutes(rule.for);
    return {
      name: rule.alert,
      interval: "15s",
      input_series: Object.entries(FAULTS[rule.alert]!).map(([series, values]) => ({
        series,
        values,
      })),
      promql_expr_test: [
        expectation("19m", []),
        ...(heldFor >= 1 ? [expectation(`${(20 + heldFor) * 60 - 30}s`, [])] : []),
        expectation(`${(20 + heldFor + 2) * 60}s`, [1]),
      ],
    };
  });
  const quiet = Object.entries(QUIET).map(([alert, series]) => ({
    name: `${alert} is quiet`,
    interval: "15s",
    input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
    promql_expr_test: [{
      expr: `count(ALERTS{alertname="${alert}"})`,
      eval_time: "35m",
      exp_samples: [],
    }],
  }));
  await writeFile(
    join(folder, "tests.yaml"),
    stringify({ rule_files: [ALERTS], evaluation_interval: "15s", tests: [...tests, ...quiet] }),
  );
  await mustRun(promtool, ["check", "rules", ALERTS]);
  await mustRun(promtool, ["test", "rules", join(folder, "tests.yaml")]);
});

test("every query of the dashboard and of the alerts has data on a stack with traffic", async () => {
  const stack = await openTestStack({
    cells: 1,
    watch: { port: 0, hurriedRules: hurriedRules(60) },
  });
  const opened = [stack.close];
  try {
    const url = stack.stack.prometheusUrl!;
    const kit = await openKit(stack.stack.kits[0]!);
    const receiver = await startTestReceiver(kit.receiver!);
    opened.push(receiver.close);
    const sabika = operatorOf(stackEnvironment(stack));
    await sabika("webhook", "set", "partner-1", `https://127.0.0.1:${receiver.port}/hooks`);
    await sabika("address", "add", "partner-1", "127.0.0.1/32");
    opened.push(await openMove(stack.stack.postgresql!, "partner-1"));
    const load = await startOrderLoad(stack.stack.kits[0]!);
    const client = createClient(kit);
    opened.push(load.stop, client.close);
    await until(
      async () => {
        const error = await client.getQuote("qt_01989f3e-7a41-7c55-9a3b-0c5f5f7d2b11")
          .catch((refusal) => refusal);
        return error instanceof SabikaError;
      },
      30_000,
      "a refusal",
    );

    const { panels } = JSON.parse(await readFile(join(PAGES, "dashboard.json"), "utf8"));
    const queries = new Map<string, string>();
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        queries.set(
          `${title}: ${expr}`,
          expr.replaceAll("$__rate_interval", "10s").replaceAll("$instance", ".*"),
        );
      }
    }
    // The series of alerts exist too, except for error codes that no answer had.
    for (const { alert, expr } of rules) {
      for (
        const [selector] of expr.matchAll(/\b(?:sabika|envoy|pg)_\w+(?:\{[^}]*\})?|\bup\{[^}]*\}/g)
      ) {
        queries.set(`${alert}: ${selector}`, selector.replace(/\{(?:code|status|step)[^}]*\}/, ""));
      }
    }
    // This stack has no standby.
    const empty = new Set([...queries.keys()].filter((name) => !/standby|past_reads/.test(name)));
    await until(
      async () => {
        for (const name of empty) {
          if ((await queryOf(url, queries.get(name)!)).length > 0) empty.delete(name);
        }
        return empty.size === 0;
      },
      60_000,
      `data for ${queries.size} queries`,
      1_000,
    ).catch(() => {});
    assertEquals([...empty], []);
    assert(queries.size > 80, `${queries.size}`);
    assert(receiver.received.length > 0);
    // The label of each database is its cell's name; control's is `main`.
    for (const series of ["pg_up == 1", "pg_database_size_bytes", 'up{job="postgresql"} == 1']) {
      const found = (await queryOf(url, series)).map(({ metric }) => metric["cell"]);
      assertEquals([...new Set(found)].sort(), ["cell_1", "main"], series);
    }
    const pages = (await alertsOf(url)).filter(({ labels }) => labels.severity === "page");
    assertEquals(pages, [], "a stack with traffic and no fault wakes nobody");
  } finally {
    for (const close of opened.reverse()) await close();
  }
});

/** Records a move that stays open, since its lock is held here; returns what ends the hold. */
async function openMove({ socketUrl }: { socketUrl: string }, clientId: string) {
  const { sql, close } = openDatabase(socketUrl, { maxConnections: 1 });
  await sql`select pg_advisory_lock(7323, partner_id) from partners where client_id = ${clientId}`;
  await sql`insert into partner_moves
      (move_id, partner_id, from_cell, to_cell, leave_act_id, enter_act_id)
    select gen_random_uuid(), partner_id, cell_id, 'main', gen_random_uuid(), gen_random_uuid()
    from partners where client_id = ${clientId}`;
  return close;
}
