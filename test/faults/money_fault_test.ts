/** F15, F17, F20: money under load, with impatient callers and a hot account. */
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { reconcile } from "@sabika/service/ledger";
import { setPriceOrigin } from "@sabika/service/prices";
import { idOf } from "../support/history/caller.ts";
import { chanceOf, drawSeed } from "../support/history/chance.ts";
import { startWorkload } from "../support/history/workload.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "./world.ts";

const seed = drawSeed();
const chance = chanceOf(seed);
let world: World;

before(async () => void (world = await openWorld()));
after(() => world?.close());

test("a load on a single partner causes no deadlock (F15)", async (t) => {
  const { history } = world;
  const callers = await world.admitRich(1);
  const countDeadlocks = async () => {
    const [row] = await world.database.sql<{ n: number }[]>`
      select deadlocks::int as n from pg_stat_database where datname = current_database()`;
    return row!.n;
  };
  const before = await countDeadlocks();
  const began = history.calls.length;
  const load = startWorkload({ history, callers, workers: 16, seed });
  await pause(sized(8_000, 600_000));
  await load.stop();
  const calls = history.calls.slice(began);
  const times = calls.map(({ startMs, endMs }) => endMs - startMs).sort((a, b) => a - b);
  t.diagnostic(`${load.ordered} orders, p99 ${times[Math.floor(times.length * 0.99)]} ms`);
  assertEquals(await countDeadlocks(), before);
  assertEquals(calls.filter(({ status }) => status === 0 || status >= 500), []);
  await world.check();
});

test("an order has its quote's price, whatever the current price is (F17)", async () => {
  const [caller] = await world.admitRich(1);
  const quote = '{"side":"buy","gold_grams":10}';
  const old = await caller!.write("quote", quote);
  await setPriceOrigin(world.admin, { source: "fixed", midTenThousandths: 5_000_000n });
  const member = ({ body }: { body: string }, name: string): unknown => JSON.parse(body)[name];
  let fresh = old;
  for (const instance of [0, 1]) {
    const isNew = async () => {
      fresh = await caller!.write("quote", quote, { instance });
      return member(fresh, "price_per_gram_sar") !== member(old, "price_per_gram_sar");
    };
    await until(isNew, 15_000, "the new price is quoted");
  }
  for (const [quoted, instance] of [[old, 0], [fresh, 1]] as const) {
    const order = await caller!.write("order", `{"quote_id":"${idOf(quoted)}"}`, { instance });
    assertEquals(order.status, 201, order.body);
    for (const name of ["price_per_gram_sar", "total_sar", "fee_sar"]) {
      assertEquals(member(order, name), member(quoted, name), name);
    }
  }
  await setPriceOrigin(world.admin, { source: "fixed", midTenThousandths: 4_000_000n });
  await world.check();
});

test("orders of callers that abandon half of their calls within 65 ms happen once or never (F20)", async (t) => {
  const { history } = world;
  const callers = await world.admitRich(4);
  const began = history.calls.length;
  const load = startWorkload({ history, callers, workers: 8, seed, hasty: 2 });
  // A busy machine makes fewer orders than 10 000 in the gate.
  const endMs = Date.now() + sized(20_000, Infinity);
  let holds = 0;
  while (load.ordered < 10_000 && Date.now() < endMs) {
    // Locks all accounts for longer than any caller waits.
    await world.database.sql.begin(async (sql) => {
      await sql`select 1 from accounts order by partner_id for no key update`;
      await pause(70 + chance.below(40));
    });
    holds += 1;
    await pause(300);
  }
  await load.stop();
  const unknown = history.calls.slice(began).filter(({ outcome }) => outcome === "unknown").length;
  t.diagnostic(`${load.ordered} orders, ${holds} holds, ${unknown} unknown`);
  assert(unknown > 2 * holds && load.ordered > holds, `${unknown} were unknown`);
  await world.check();
  assertEquals(await reconcile(world.database), []);
});
