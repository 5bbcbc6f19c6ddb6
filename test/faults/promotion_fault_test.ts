/** F85: a primary dies, or lives on cut off, under load, and its synchronous standby is promoted. */
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { reconcile } from "@sabika/service/ledger";
import { until } from "../support/until.ts";
import { History } from "./history.ts";
import { findBreaches } from "./invariants.ts";
import { startLoad } from "./load.ts";
import { checkReplies, tradeAgain } from "./outage.ts";
import { crash } from "./postgresql_processes.ts";
import { seeded } from "./seeded.ts";
import { pause } from "./waiting.ts";
import { openWorld, type World } from "./world.ts";

const chance = seeded("promotion");

/** Promotes the standby under load, and sees that instances go there and nothing is lost or doubled. */
async function promoted(
  t: { diagnostic(message: string): void },
  strike: (world: World) => Promise<void>,
): Promise<void> {
  const world = await openWorld({ standby: true });
  try {
    const banks = [await world.admit(), await world.admit()];
    const callers = [await world.admit(), await world.admit()];
    const history = new History();
    for (const caller of callers) await history.call(caller, "fund", '{"amount_sar":10000000}');
    const load = startLoad({ history, callers, workers: 8, instances: 2, chance });
    try {
      await until(() => load.ordered >= 30, 20_000, "orders flow");
      await strike(world);
      t.diagnostic(`trading again after ${await tradeAgain(banks)} ms`);
      const already = load.ordered;
      await until(() => load.ordered >= already + 30, 20_000, "orders flow again");
    } finally {
      await load.stop();
    }
    t.diagnostic(`${history.operations.length} calls: ${JSON.stringify(history.counts())}`);
    checkReplies(history);
    await history.resolve(2);
    const standby = openDatabase(world.standby!.postgresql.url, { maxConnections: 2 });
    assertEquals(await history.contradictions(standby.sql), []);
    assertEquals(await findBreaches(standby), []);
    assertEquals(await reconcile(standby), []);
    await standby.close();
  } finally {
    await world.close();
  }
}

test("a standby promoted under load has every acknowledged order, once (F85)", async (t) => {
  await promoted(t, async ({ postgresql, standby }) => {
    await crash(postgresql);
    await pause(chance.below(1_000));
    await standby!.promote();
  });
});

test("an old primary that lives on acknowledges nothing, and is left (F85)", async (t) => {
  await promoted(t, ({ standby }) => standby!.promote());
});
