/** F13, F15, F17, F20, F40: money under load, with kills, impatient callers and a hot account. */
import { after, before, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { reconcile } from "@sabika/service/ledger";
import { setPriceOrigin } from "@sabika/service/prices";
import { sized } from "../support/sized.ts";
import { type Caller, idOf } from "./caller.ts";
import { type FaultPoints, installFaultPoints } from "./fault_points.ts";
import { History } from "./history.ts";
import { findBreaches, watchInvariants } from "./invariants.ts";
import { percentile, startLoad } from "./load.ts";
import { seeded } from "./seeded.ts";
import { until } from "../support/until.ts";
import { pause } from "./waiting.ts";
import { openWorld, type World } from "./world.ts";

const chance = seeded("money");
let world: World;
let points: FaultPoints;

before(async () => {
  world = await openWorld();
  points = await installFaultPoints(world.database);
});
after(() => world?.close());

async function settle(history: History): Promise<void> {
  await history.resolve(2);
  assertEquals(await history.contradictions(world.database.sql), []);
  assertEquals(await findBreaches(world.database), []);
}

async function admitRich(history: History, count: number): Promise<Caller[]> {
  const callers: Caller[] = [];
  while (callers.length < count) {
    const caller = await world.admit();
    await history.call(caller, "fund", '{"amount_sar":10000000}');
    callers.push(caller);
  }
  return callers;
}

test("the bank test: whoever is killed meanwhile, every snapshot balances (F13)", async (t) => {
  const history = new History();
  const callers = await admitRich(history, 8);
  const watch = watchInvariants([world], 500);
  const load = startLoad({ history, callers, instances: 2, chance, workers: 8 });
  let kills = 0;
  try {
    for (const endMs = Date.now() + sized(15_000, 600_000); Date.now() < endMs;) {
      await pause(500 + chance.below(1_000));
      const instance = chance.below(2);
      kills += 1;
      if (chance.below(3) > 0) {
        await world.database.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'sabika-server' and state = 'active'`;
        continue;
      }
      await world.instances[instance]!.kill();
      for (const caller of callers) caller.close(instance);
      await world.instances[instance]!.start();
    }
  } finally {
    await load.stop();
  }
  t.diagnostic(
    `${kills} kills, ${watch.rounds} rounds of checks: ${JSON.stringify(history.counts())}`,
  );
  assert(watch.rounds > 5);
  assertEquals(await watch.stop(), []);
  for (const caller of callers) caller.close();
  await settle(history);
});

test("a hot account: all load on one partner, no deadlock (F15)", async (t) => {
  const history = new History();
  const callers = await admitRich(history, 1);
  const deadlocks = async () => {
    const [row] = await world.database.sql<{ n: number }[]>`
      select deadlocks::int as n from pg_stat_database where datname = current_database()`;
    return row!.n;
  };
  const before = await deadlocks();
  const startedMs = Date.now();
  const load = startLoad({ history, callers, instances: 2, chance, workers: 16 });
  await pause(sized(8_000, 600_000));
  await load.stop();
  const rate = load.ordered / (Date.now() - startedMs) * 1_000;
  t.diagnostic(
    `${rate.toFixed()} orders/s; p50 ${percentile(load.durations, 0.5).toFixed()} ms, ` +
      `p99 ${percentile(load.durations, 0.99).toFixed()} ms: ${JSON.stringify(history.counts())}`,
  );
  assertEquals(await deadlocks(), before);
  const codes = Object.keys(history.counts()).filter((name) => !/ (ok|insufficient_)/.test(name));
  assertEquals(codes, []);
  await settle(history);
});

test("an order has its quote's price, whatever the price is by then (F17)", async () => {
  const history = new History();
  const [caller] = await admitRich(history, 1);
  const quote = '{"side":"buy","gold_grams":10}';
  const old = await history.call(caller!, "quote", quote);
  await setPriceOrigin(world.admin, { source: "fixed", midTenThousandths: 5_000_000n });
  const member = (reply: { body: string }, name: string): unknown => JSON.parse(reply.body)[name];
  const price = (reply: { body: string }) => member(reply, "price_per_gram_sar");
  let fresh = old;
  for (const instance of [0, 1]) {
    await until(
      async () => {
        fresh = await history.call(caller!, "quote", quote, { instance });
        return price(fresh) !== price(old);
      },
      15_000,
      "the new price is quoted",
    );
  }
  for (const [quoted, instance] of [[old, 0], [fresh, 1]] as const) {
    const order = await history.call(caller!, "order", `{"quote_id":"${idOf(quoted)}"}`, {
      instance,
    });
    assertEquals(order.status, 201, order.body);
    for (const name of ["price_per_gram_sar", "total_sar", "fee_sar"]) {
      assertEquals(member(order, name), member(quoted, name), name);
    }
  }
  await setPriceOrigin(world.admin, { source: "fixed", midTenThousandths: 4_000_000n });
  await settle(history);
});

/** On a machine that is busy with other things there are fewer orders than 10 000 in the gate. */
const LONGEST_MS = sized(40_000, Infinity);

test("10 000 orders of callers that wait 50 ms at most: each happened once or never (F20)", async (t) => {
  const history = new History();
  const callers = await admitRich(history, 4);
  const startedMs = Date.now();
  let left = 10_000;
  let unknown = 0;
  let stillUnknown = 0;
  // Now and then a transaction locks all accounts for longer than any caller waits.
  const holds: Promise<unknown>[] = [];
  const holdAll = () =>
    world.database.sql.begin(async (sql) => {
      await sql`select 1 from accounts order by partner_id for no key update`;
      await pause(60 + chance.below(40));
    });
  // Few enough that most answers come in time while no lock delays them.
  const working = Array.from({ length: 8 }, async () => {
    while (left > 0 && Date.now() < startedMs + LONGEST_MS) {
      const caller = chance.pick(callers);
      const side = chance.below(3) > 0 ? "buy" : "sell";
      const grams = (100 + chance.below(20_000)) / 10_000;
      const [first, second] = chance.below(2) === 0 ? [0, 1] : [1, 0];
      const quoted = await history.call(
        caller,
        "quote",
        `{"side":"${side}","gold_grams":${grams}}`,
        { instance: first },
      );
      if (quoted.outcome !== "ok") {
        assertEquals(quoted.code, "service_unavailable", quoted.body);
        await pause(50);
        continue;
      }
      left -= 1;
      if (left % 60 === 0) holds.push(holdAll());
      const operation = history.begin(caller, "order", `{"quote_id":"${idOf(quoted)}"}`);
      const hasty = (instance: number) => ({ instance, timeoutMs: 50 });
      const reply = await history.repeat(operation, [hasty(first)]);
      if (reply.outcome !== "unknown") continue;
      unknown += 1;
      // The first one may still be on its way, or may never have arrived.
      const again = await history.repeat(operation, [hasty(first), hasty(second), hasty(second)]);
      if (again.outcome === "unknown") stillUnknown += 1;
    }
  });
  await Promise.all(working);
  await Promise.all(holds);
  const workedMs = Date.now() - startedMs;
  await settle(history);
  // By the holds there were: a busy machine gets through fewer orders, and so to fewer of them.
  assert(holds.length > 30, `all accounts were held only ${holds.length} times`);
  assert(unknown > 2 * holds.length, `${unknown} were unknown, with ${holds.length} holds`);
  assert(stillUnknown > holds.length / 4, `${stillUnknown} stayed, with ${holds.length} holds`);

  // The final reading: what the callers were answered is what there is, to the halala.
  assertEquals(await reconcile(world.database), []);
  let executed = 0;
  for (const caller of callers) {
    const answered = history.operations.filter((operation) => operation.caller === caller)
      .flatMap(({ kind, replies }) => {
        const good = replies.find(({ outcome }) => outcome === "ok");
        return good === undefined ? [] : [{ kind, made: JSON.parse(good.body) }];
      });
    const orders = answered.filter(({ kind }) => kind === "order").map(({ made }) => made);
    let [halalas, micrograms] = [0, 0];
    for (const { kind, made } of answered) if (kind === "fund") halalas += 100 * made.amount_sar;
    for (const { side, total_sar, gold_grams } of orders) {
      const sign = side === "buy" ? 1 : -1;
      halalas -= sign * Math.round(100 * total_sar);
      micrograms += sign * Math.round(1e6 * gold_grams);
    }
    const balances = JSON.parse((await caller.get("/v1/balances")).body);
    assertEquals([balances.sar, balances.gold_grams], [halalas / 100, micrograms / 1e6]);
    assertEquals(await listOrders(caller), orders.map(({ id }) => id).sort());
    executed += orders.length;
  }
  t.diagnostic(
    `${executed} executed, ${holds.length} holds, ${unknown} unknown at first, ` +
      `${stillUnknown} after three at once, in ${workedMs} ms: ${JSON.stringify(history.counts())}`,
  );
});

/** The ids of all orders that the service lists for a partner. */
async function listOrders(caller: Caller): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = JSON.parse((await caller.get(`/v1/orders?limit=100${cursor}`)).body);
    for (const { id } of page.data) ids.push(id);
    cursor = page.has_more ? `&cursor=${page.next_cursor}` : null;
  }
  return ids.sort();
}

test("a replay that comes while the first still runs waits for it and replays it (F40)", async () => {
  const history = new History();
  const [caller] = await admitRich(history, 1);
  const quoted = await history.call(caller!, "quote", '{"side":"buy","gold_grams":1}');
  const body = `{"quote_id":"${idOf(quoted)}"}`;
  const key = crypto.randomUUID();
  await points.arm("orders", "pause");
  const first = history.call(caller!, "order", body, { key });
  await until(async () => await points.met() === 1, 10_000, "the first is under way");
  const operation = history.operations.at(-1)!;
  const twins = [0, 1, 0, 1].map((instance) => caller!.write("order", body, { key, instance }));
  await pause(500);
  await points.disarm();
  assertEquals((await first).status, 201);
  for (const twin of await Promise.all(twins)) {
    assertEquals([twin.status, twin.isReplay], [200, true], twin.body);
    operation.replies.push(twin);
  }
  await settle(history);
});

test("a partner whose accounts are locked does not stop the others", async (t) => {
  const history = new History();
  const [held, free] = await admitRich(history, 2);
  const holder = await world.database.sql.reserve();
  await holder`begin`;
  await holder`select 1 from accounts where partner_id = ${held!.partnerId} for update`;
  const slow: number[] = [];
  const refused: Promise<unknown>[] = [];
  try {
    for (const endMs = Date.now() + 12_000; Date.now() < endMs; await pause(200)) {
      refused.push(held!.write("fund", '{"amount_sar":1}', { key: "held" }));
      const reply = await history.call(free!, "fund", '{"amount_sar":1}');
      slow.push(reply.ms);
      assertEquals(reply.status, 201, `${reply.code} after ${reply.ms} ms`);
    }
  } finally {
    await holder`rollback`;
    holder.release();
    await Promise.all(refused);
  }
  t.diagnostic(`the other partner waited ${percentile(slow, 1).toFixed()} ms at most`);
  const after = await held!.write("fund", '{"amount_sar":1}', { key: "held" });
  assertEquals(after.outcome, "ok", after.body);
});
