/** F03 to F05, F07, F13, F20: kills under load lose and double neither money nor acknowledged orders. */
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { reconcile } from "@sabika/service/ledger";
import { chanceOf, drawSeed } from "../support/history/chance.ts";
import { watchBooks } from "../support/history/watch_books.ts";
import { startWorkload } from "../support/history/workload.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { openWorld } from "./world.ts";

const KILLS = sized(8, 300);

const world = await openWorld();
after(() => world.close());

test("killing servers and sessions under load loses no order, and every snapshot balances (F13)", async (t) => {
  const seed = drawSeed();
  const chance = chanceOf(seed);
  const { history } = world;
  const callers = await world.admitRich(8);
  const watch = watchBooks([world], 500);
  const load = startWorkload({ history, callers, workers: 12, seed });
  try {
    for (let n = 0; n < KILLS; n++) {
      const before = load.ordered;
      // At a random point of the load.
      await until(() => load.ordered >= before + 30 + chance.below(30), 60_000, "orders flow");
      if (n % 2 === 0) {
        const server = chance.pick(world.instances);
        await server.kill();
        await server.start();
      } else {
        await world.database.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'sabika-server' and state = 'active'`;
      }
    }
  } finally {
    await load.stop();
    assertEquals(await watch.stop(), []);
  }
  const unknown = history.calls.filter(({ outcome }) => outcome === "unknown").length;
  t.diagnostic(
    `${load.ordered} orders, ${unknown} unknown answers, ${watch.rounds} rounds of checks`,
  );
  assert(unknown > 0, "no kill cut an answer off");
  assert(watch.rounds > 1);
  const hasLeaked = async () => {
    const [row] = await world.database.sql<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity where application_name = 'sabika-server'`;
    return row!.n > 16;
  };
  // A session of a killed server ends when PostgreSQL notices.
  await until(async () => !await hasLeaked(), 30_000, "no client of the pool leaks");
  await world.check();
  assertEquals(await reconcile(world.database), []);
});
