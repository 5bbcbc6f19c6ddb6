import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type Call, type CallKind, History } from "../../support/history/history.ts";
import { holdingIn, pagingConditions } from "./alert_conditions.ts";
import { BOUNDS, falseStatements } from "./judge_word.ts";
import type { Source, Statement } from "./statements.ts";

const SOURCES = Object.keys(BOUNDS) as Source[];
const TELL_MS = 1_000;

/** Returns what was said each second, and a call of each kind that ended then. */
function say(source: Source, seconds: number, isWell: boolean | undefined, statusOf: StatusOf) {
  const history = new History();
  const statements: Statement[] = [];
  for (let atMs = TELL_MS; atMs <= TELL_MS + seconds * 1_000; atMs += TELL_MS) {
    const partner = source === "/health" ? 1 : 0;
    statements.push({ source, partner, atMs, isWell, words: "" });
    for (const kind of ["quote", "order"] as const) {
      const call = history.begin({ partner: 1, kind, key: "", nonce: "", input: "" }, atMs);
      const status = statusOf(kind, atMs);
      Object.assign(call, { status, endMs: atMs } satisfies Partial<Call>);
    }
  }
  return { statements, calls: history.calls };
}

type StatusOf = (kind: CallKind, atMs: number) => number;
const REFUSED: StatusOf = () => 503;
const CARRIED_OUT: StatusOf = () => 201;
const ORDERS_REFUSED: StatusOf = (kind) => kind === "order" ? 503 : 201;

const judge = (
  said: ReturnType<typeof say>,
  troubles: Parameters<typeof falseStatements>[2] = [],
) => falseStatements(said.statements, said.calls, troubles).map(({ what }) => what);

for (const source of SOURCES) {
  const { unnoticedMs, alarmedMs } = BOUNDS[source];
  const [unnoticed, alarmed] = [unnoticedMs / 1_000, alarmedMs / 1_000];

  test(`${source} may be wrong for its stated time, and no second longer`, () => {
    assertEquals(judge(say(source, unnoticed, true, REFUSED)), []);
    assertEquals(judge(say(source, unnoticed + 1, true, REFUSED)).length, 2);
    assertEquals(judge(say(source, unnoticed + 1, true, ORDERS_REFUSED)), [
      `${source} says that all is well, every order is refused`,
    ]);
    assertEquals(judge(say(source, alarmed, false, CARRIED_OUT)), []);
    assertEquals(judge(say(source, alarmed + 1, false, CARRIED_OUT)), [
      `${source} says "unavailable", every write is carried out`,
    ]);
  });

  test(`${source} that is right, or says nothing, is no violation`, () => {
    for (const isWell of [true, undefined]) {
      assertEquals(judge(say(source, 60, isWell, CARRIED_OUT)), []);
    }
    for (const isWell of [false, undefined]) {
      assertEquals(judge(say(source, 60, isWell, REFUSED)), []);
    }
    const now = (kind: CallKind, atMs: number) => atMs % 10_000 === 0 ? 201 : REFUSED(kind, atMs);
    assertEquals(judge(say(source, 60, true, now)), [], "a call between was carried out");
    assertEquals(judge(say(source, 60, true, () => 0)), [], "no answer shows nothing");
  });
}

test("an instance knows nothing of what happens in front of it, but an alert of Envoy does", () => {
  const trouble = { strike: { names: ["cut link Envoy – server"] }, beganMs: 0, endedMs: 60_000 };
  assertEquals(judge(say("/ready", 60, true, REFUSED), [trouble]), []);
  assertEquals(judge(say("alerts", 60, true, REFUSED), [trouble]).length, 2);
  assertEquals(judge(say("alerts", 60, false, CARRIED_OUT), [trouble]), [], "a part is away");
});

test("the conditions of alerts are read from the rules, and compared with the metrics", async () => {
  const rules = new URL("../../../docs/observability/alerts.yaml", import.meta.url);
  const conditions = pagingConditions(await readFile(rules, "utf8"));
  const metrics = (bad: number) =>
    [
      `sabika_ready ${1 - bad}`,
      `sabika_database_up ${1 - bad}`,
      `sabika_cell_up{cell="b"} ${1 - bad}`,
      `sabika_failed_writes_share{cell="main",kind="order"} ${bad / 2}`,
      `up{job="server"} ${1 - bad}`,
      `sabika_clock_offset_seconds ${-0.7 * bad}`,
      `sabika_register_fresh ${1 - bad}`,
      `sabika_control_away_seconds ${6 * bad}`,
      `sabika_balances_wrong ${bad}`,
      `envoy_cluster_membership_healthy{envoy_cluster_name="other"} 0`,
      `envoy_cluster_membership_healthy{envoy_cluster_name="service"} ${2 - 2 * bad}`,
    ].join("\n");
  assertEquals(holdingIn(conditions, metrics(0)), []);
  assertEquals(holdingIn(conditions, metrics(1)).sort(), [
    "EnvoyNoHealthyServer",
    "SabikaBalancesWrong",
    "SabikaCellAway",
    "SabikaClockOff",
    "SabikaControlAway",
    "SabikaDatabaseAway",
    "SabikaNotReady",
    "SabikaRegisterStale",
    "SabikaServerDown",
    "SabikaWritesFail",
  ]);
});
