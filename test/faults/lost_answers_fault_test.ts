/** F03, F04, F05: connections and processes that end between a request and its answer. */
import { after, before, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Caller, idOf, type Reply, type WriteKind } from "./caller.ts";
import { type FaultPoints, installFaultPoints } from "./fault_points.ts";
import { History } from "./history.ts";
import { findBreaches } from "./invariants.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let bank: Caller;
let points: FaultPoints;
let history: History;
let orders = 0;

before(async () => {
  world = await openWorld();
  points = await installFaultPoints(world.database);
  history = new History();
  bank = await world.admit();
  await history.call(bank, "fund", '{"amount_sar":10000000}');
});
after(() => world?.close());

/** Where each kind of write meets the database, and a table that it writes there. */
const STATEMENTS: [WriteKind, RegExp, writes: string][] = [
  ["quote", /make_quotes/, "quotes"],
  ["fund", /fund_sandbox/, "fundings"],
  ["order", /place_orders/, "orders"],
  ["withdrawal", /spend_nonces/, "nonces"],
  ["withdrawal", /place_withdrawals/, "withdrawals"],
];

/** A body for a write that succeeds; an order gets a quote of its own. */
async function bodyFor(kind: WriteKind): Promise<string> {
  switch (kind) {
    case "quote":
      return '{"side":"buy","gold_grams":0.5}';
    case "fund":
      return '{"amount_sar":12.5}';
    case "withdrawal":
      return '{"amount_sar":1.25}';
    case "probe":
      return "{}";
    case "order": {
      // Each with a quote that instance 1 made: what is cut is the way of the order alone.
      const side = orders++ % 3 === 2 ? "sell" : "buy";
      const quoted = await history.call(bank, "quote", `{"side":"${side}","gold_grams":0.25}`, {
        instance: 1,
      });
      assertEquals(quoted.code, "ok");
      return `{"quote_id":"${idOf(quoted)}"}`;
    }
  }
}

async function checkAll(): Promise<void> {
  assertEquals(await history.contradictions(world.database.sql), []);
  assertEquals(await findBreaches(world.database), []);
}

function assertMade(reply: Reply, what: string): void {
  assertEquals([reply.status, reply.code, reply.isReplay], [201, "ok", false], what);
}

for (const moment of ["before", "running", "after"] as const) {
  test(`a database connection cut ${moment} the statement changes nothing for the caller`, async () => {
    const [proxy] = world.proxies;
    for (const [kind, statement, table] of STATEMENTS) {
      const body = await bodyFor(kind);
      if (moment === "running") await points.arm(table, "pause");
      const then = () => moment === "running" && setTimeout(points.release, 300);
      const cut = proxy!.cut({ statement, moment, then });
      const key = crypto.randomUUID();
      let reply = await history.call(bank, kind, body, { key });
      await cut;
      if (moment === "running") assertEquals(await points.met(), 1, `${table} was not written`);
      if (/spend_nonces/.test(statement.source) && moment !== "before") {
        // Who spent it cannot be known: nothing was done, and the caller signs afresh.
        assertEquals([reply.status, reply.code], [503, "service_unavailable"]);
        reply = await history.call(bank, kind, body, { key });
      }
      assertMade(reply, `${kind} at ${statement}`);
    }
    mergeStories();
    await checkAll();
  });
}

test("a refusal whose answer was lost is not reported as a nonce that was reused", async () => {
  const [proxy] = world.proxies;
  const poor = await world.admit();
  const quoted = await poor.write("quote", '{"side":"buy","gold_grams":1}');
  const cases: [WriteKind, string, RegExp][] = [
    ["order", `{"quote_id":"${idOf(quoted)}"}`, /place_orders/],
    ["order", '{"quote_id":"qt_no"}', /place_orders/],
    ["order", '{"quote_id":1}', /spend_nonces/],
    ["withdrawal", '{"amount_sar":5}', /spend_nonces/],
    ["withdrawal", '{"amount_sar":5}', /place_withdrawals/],
    ["probe", "{}", /spend_nonces/],
  ];
  for (const [kind, body, statement] of cases) {
    const cut = proxy!.cut({ statement, moment: "after" });
    const reply = await poor.write(kind, body);
    await cut;
    assert(reply.code !== "nonce_reused", `${kind} ${body} at ${statement}: ${reply.body}`);
    assert(reply.status !== 500, reply.body);
  }
  assertEquals(await findBreaches(world.database), []);
});

for (const moment of ["before", "after"] as const) {
  test(`a database lost ${moment} the statement gives 503, and the same key finds out`, async () => {
    const [proxy] = world.proxies;
    for (const [kind, statement] of STATEMENTS) {
      const body = await bodyFor(kind);
      const key = crypto.randomUUID();
      const cut = proxy!.cut({
        statement,
        moment,
        then: () => {
          proxy!.refuseNew(true);
          setTimeout(() => proxy!.dropAll(), 1);
        },
      });
      const reply = await history.call(bank, kind, body, { key });
      await cut;
      assertEquals(reply.status, 503, `${kind} at ${statement}: ${reply.body}`);
      assert(reply.retryAfter !== undefined, "no Retry-After");
      assert(reply.ms < 10_000, `${reply.ms} ms`);
      proxy!.refuseNew(false);
      const again = await history.call(bank, kind, body, { key, instance: 1 });
      // What a spent nonce alone left is nothing.
      const done = moment === "after" && !/spend_nonces/.test(statement.source);
      assertEquals([again.status, again.isReplay], done ? [200, true] : [201, false], kind);
      await until(() => serves(0), 10_000, "instance 0 serves again");
    }
    mergeStories();
    await checkAll();
  });
}

/** All replies to one key belong to one operation. */
function mergeStories(): void {
  const byKey = new Map<string, (typeof history.operations)[number]>();
  for (const operation of history.operations.splice(0)) {
    const first = byKey.get(operation.key);
    if (first === undefined) byKey.set(operation.key, operation);
    else first.replies.push(...operation.replies);
  }
  history.operations.push(...byKey.values());
}

async function serves(instance: number): Promise<boolean> {
  return (await bank.get("/v1/balances", { instance, timeoutMs: 2_000 })).outcome === "ok";
}

for (const moment of ["before", "running", "after"] as const) {
  test(`a server killed ${moment} the statement: the same key at another instance gives the outcome`, async () => {
    const [proxy] = world.proxies;
    const kinds = moment === "running" ? STATEMENTS.slice(2, 3) : STATEMENTS;
    for (const [kind, statement, table] of kinds) {
      const body = await bodyFor(kind);
      const key = crypto.randomUUID();
      if (moment === "running") await points.arm(table, "pause");
      const cut = proxy!.cut({
        statement,
        moment,
        then: async () => {
          await world.instances[0]!.kill();
          setTimeout(points.release, 100);
        },
      });
      const reply = await history.call(bank, kind, body, { key });
      await cut;
      assertEquals(reply.outcome, "unknown", `${reply.status} ${reply.code}`);
      bank.close(0);
      const [again] = await Promise.all([
        history.call(bank, kind, body, { key, instance: 1 }),
        world.instances[0]!.start(),
      ]);
      const done = moment !== "before" && !/spend_nonces/.test(statement.source);
      assertEquals([again.status, again.isReplay], done ? [200, true] : [201, false], kind);
    }
    mergeStories();
    await checkAll();
  });
}

/** Tables in the order in which each kind of write touches them. */
const WRITTEN: [WriteKind, string[]][] = [
  ["order", ["nonces", "accounts", "orders", "transfers", "events", "trade_keys"]],
  ["withdrawal", ["nonces", "accounts", "withdrawals", "transfers", "events", "idempotency_keys"]],
  ["fund", ["accounts", "fundings", "transfers", "events", "idempotency_keys"]],
  ["quote", ["accounts", "quotes", "trade_keys"]],
];

test("a session ended after each single write of a transaction: done once all the same", async () => {
  for (const [kind, tables] of WRITTEN) {
    for (const table of tables) {
      const body = await bodyFor(kind);
      await points.arm(table, "terminate");
      const reply = await history.call(bank, kind, body);
      assertEquals(await points.met(), 1, `${kind} does not write ${table}`);
      const what = `${kind} at ${table}`;
      assertMade(reply, what);
    }
  }
  await points.disarm();
  await checkAll();
});

test("a server killed in the middle of a transaction that is rolled back then: nothing is booked", async () => {
  for (const [kind, tables] of WRITTEN) {
    const table = tables[tables.length - 2]!;
    const body = await bodyFor(kind);
    const key = crypto.randomUUID();
    await points.arm(table, "pause");
    const calling = history.call(bank, kind, body, { key });
    await until(async () => await points.met() === 1, 10_000, `${kind} writes ${table}`);
    await world.instances[0]!.kill();
    await calling;
    // The session is ended before it may go on, so its transaction is rolled back.
    await world.database.sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    await points.disarm();
    bank.close(0);
    const [again] = await Promise.all([
      history.call(bank, kind, body, { key, instance: 1 }),
      world.instances[0]!.start(),
    ]);
    assertEquals([again.status, again.isReplay], [201, false], kind);
  }
  mergeStories();
  await checkAll();
});
