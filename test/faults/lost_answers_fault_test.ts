/** F03, F04, F05: connections and processes that end between a request and its answer. */
import { after, before, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  type Caller,
  idOf,
  type RecordedReply,
  type WriteKind,
} from "../support/history/caller.ts";
import { findBreaches } from "../support/history/watch_books.ts";
import { until } from "../support/until.ts";
import type { CutMoment } from "./cutting_link.ts";
import { type FaultPoints, installFaultPoints } from "./fault_points.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let bank: Caller;
let points: FaultPoints;
let orders = 0;

before(async () => {
  world = await openWorld();
  points = await installFaultPoints(world.database);
  [bank] = await world.admitRich(1) as [Caller];
});
after(() => world?.close());

/** The statements of each kind of write, and a table that each of them writes. */
const STATEMENTS: [WriteKind, RegExp, writes: string][] = [
  ["quote", /make_priced_quotes/, "quotes"],
  ["fund", /fund_sandbox/, "fundings"],
  ["order", /place_signed_orders/, "orders"],
  ["withdrawal", /spend_nonces/, "nonces"],
  ["withdrawal", /place_withdrawals/, "withdrawals"],
];
/** Whether a statement only spends the nonce, before the statement of the write itself. */
const isOfNonce = (statement: RegExp) => /spend_nonces/.test(statement.source);
/** Whether a statement alone makes nothing: it spends the nonce, or a commit comes after it. */
const isPart = (statement: RegExp) => /spend_nonces|place_withdrawals/.test(statement.source);

/** Returns a body for a write that succeeds; for an order, instance 1 makes a new quote. */
async function bodyFor(kind: WriteKind): Promise<string> {
  if (kind === "quote") return '{"side":"buy","gold_grams":0.5}';
  if (kind !== "order") return '{"amount_sar":1.25}';
  const side = orders++ % 3 === 2 ? "sell" : "buy";
  const body = `{"side":"${side}","gold_grams":0.25}`;
  const quoted = await bank.write("quote", body, { instance: 1 });
  assertEquals(quoted.code, "ok");
  return `{"quote_id":"${idOf(quoted)}"}`;
}

function assertMade({ status, code, isReplay }: RecordedReply, what: string): void {
  assertEquals([status, code, isReplay], [201, "ok", false], what);
}

/** Asserts that a repeat under the key replays the write if it was done, and otherwise executes it. */
function assertFoundOut({ status, isReplay }: RecordedReply, isDone: boolean, what: string): void {
  assertEquals([status, isReplay], isDone ? [200, true] : [201, false], what);
}

/** Repeats a write at instance 1 while instance 0, which was killed, is restarted. */
async function repeatElsewhere(kind: WriteKind, body: string, key: string): Promise<RecordedReply> {
  bank.close(0);
  const [repeated] = await Promise.all([
    bank.write(kind, body, { key, instance: 1 }),
    world.instances[0]!.start(),
  ]);
  return repeated;
}

const MOMENTS: readonly CutMoment[] = ["before", "running", "after"];

for (const moment of MOMENTS) {
  test(`a database connection cut ${moment} the statement changes nothing for the caller`, async () => {
    const [link] = world.links;
    for (const [kind, statement, table] of STATEMENTS) {
      const body = await bodyFor(kind);
      if (moment === "running") await points.arm(table, "pause");
      const then = () => moment === "running" && setTimeout(points.release, 300);
      const cut = link!.cutAt({ statement, moment, then });
      const key = crypto.randomUUID();
      let reply = await bank.write(kind, body, { key });
      await cut;
      if (moment === "running") assertEquals(await points.met(), 1, `${table} was not written`);
      if (isOfNonce(statement) && moment !== "before") {
        // It is unknown whether the nonce is spent: the write is not done, and the caller signs again.
        assertEquals([reply.status, reply.code], [503, "service_unavailable"]);
        reply = await bank.write(kind, body, { key });
      }
      assertMade(reply, `${kind} at ${statement}`);
    }
    await world.check();
  });
}

test("a repeat after a lost refusal is not refused for a reused nonce", async () => {
  const [link] = world.links;
  const poor = await world.admit();
  const quoted = await poor.write("quote", '{"side":"buy","gold_grams":1}');
  const cases: [WriteKind, string, RegExp][] = [
    ["order", `{"quote_id":"${idOf(quoted)}"}`, /place_signed_orders/],
    ["order", '{"quote_id":"qt_no"}', /place_signed_orders/],
    ["withdrawal", '{"amount_sar":5}', /place_withdrawals/],
    ["probe", "{}", /spend_nonces/],
  ];
  for (const [kind, body, statement] of cases) {
    const cut = link!.cutAt({ statement, moment: "after" });
    const reply = await poor.write(kind, body);
    await cut;
    assert(reply.code !== "nonce_reused", `${kind} ${body} at ${statement}: ${reply.body}`);
    assert(reply.status !== 500, reply.body);
  }
  assertEquals(await findBreaches(world), []);
});

for (const moment of ["before", "after"] as const) {
  test(`a database lost ${moment} the statement gives 503, and the same key finds out`, async () => {
    const link = world.links[0]!;
    const serves = async () =>
      (await bank.get("/v1/balances", { timeoutMs: 2_000 })).outcome === "ok";
    for (const [kind, statement] of STATEMENTS) {
      const body = await bodyFor(kind);
      const key = crypto.randomUUID();
      const cut = link.cutAt({ statement, moment, then: link.cut });
      const reply = await bank.write(kind, body, { key });
      await cut;
      assertEquals(reply.status, 503, `${kind} at ${statement}: ${reply.body}`);
      assert(reply.retryAfter !== undefined, "no Retry-After");
      assert(reply.ms < 10_000, `${reply.ms} ms`);
      link.heal();
      const repeated = await bank.write(kind, body, { key, instance: 1 });
      assertFoundOut(repeated, moment === "after" && !isPart(statement), kind);
      await until(serves, 10_000, "instance 0 serves again");
    }
    await world.check();
  });
}

for (const moment of MOMENTS) {
  test(`a server killed ${moment} the statement: the same key at another instance gives the outcome`, async () => {
    for (const [kind, statement, table] of STATEMENTS) {
      if (moment === "running" && kind !== "order") continue;
      const body = await bodyFor(kind);
      const key = crypto.randomUUID();
      if (moment === "running") await points.arm(table, "pause");
      const then = async () => {
        await world.instances[0]!.kill();
        setTimeout(points.release, 100);
      };
      const cut = world.links[0]!.cutAt({ statement, moment, then });
      const reply = await bank.write(kind, body, { key });
      await cut;
      assertEquals(reply.outcome, "unknown", `${reply.status} ${reply.code}`);
      const repeated = await repeatElsewhere(kind, body, key);
      assertFoundOut(repeated, moment !== "before" && !isPart(statement), kind);
    }
    await world.check();
  });
}

/** Tables in the order in which each kind of write touches them. */
const WRITTEN: [WriteKind, string[]][] = [
  ["order", ["nonces", "accounts", "orders", "transfers", "events", "trade_keys"]],
  ["withdrawal", ["nonces", "accounts", "withdrawals", "transfers", "events", "idempotency_keys"]],
  ["fund", ["accounts", "fundings", "transfers", "events", "idempotency_keys"]],
  ["quote", ["accounts", "quotes", "trade_keys"]],
];

test("a write is done once although its session was ended after any statement of the transaction", async () => {
  for (const [kind, tables] of WRITTEN) {
    for (const table of tables) {
      const body = await bodyFor(kind);
      await points.arm(table, "terminate");
      const reply = await bank.write(kind, body);
      assertEquals(await points.met(), 1, `${kind} does not write ${table}`);
      assertMade(reply, `${kind} at ${table}`);
    }
  }
  await points.disarm();
  await world.check();
});

test("nothing is booked when a server is killed in a transaction that is then rolled back", async () => {
  for (const [kind, tables] of WRITTEN) {
    const table = tables.at(-2)!;
    const body = await bodyFor(kind);
    const key = crypto.randomUUID();
    await points.arm(table, "pause");
    const calling = bank.write(kind, body, { key });
    await until(async () => await points.met() === 1, 10_000, `${kind} writes ${table}`);
    await world.instances[0]!.kill();
    await calling;
    // The session is terminated before it can continue, so its transaction is rolled back.
    await world.database.sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    await points.disarm();
    assertFoundOut(await repeatElsewhere(kind, body, key), false, kind);
  }
  await world.check();
});
