/** F85: a primary dies, or lives on cut off, under load, and its synchronous standby is promoted. */
import { test, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { migrate } from "@sabika/service/schema";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import type { Caller } from "../support/history/caller.ts";
import { chanceOf, drawSeed } from "../support/history/chance.ts";
import { startWorkload } from "../support/history/workload.ts";
import { PRIMARY_SETTINGS, runStandby } from "../support/standby.ts";
import { until } from "../support/until.ts";
import { addCellTo } from "./added_cell.ts";
import { crash } from "./postgresql_processes.ts";
import { checkAnswers, openWorld, type World } from "./world.ts";

const seed = drawSeed();

/** Strikes while some callers trade, and sees that orders flow again within 30 s. */
async function strikeUnderLoad(
  t: TestContext,
  world: World,
  { callers, probers }: { readonly callers: Caller[]; readonly probers: Caller[] },
  strike: () => Promise<void>,
): Promise<void> {
  const load = startWorkload({ history: world.history, callers, workers: 8, seed });
  try {
    await until(() => load.ordered >= 30, 30_000, "orders flow");
    await strike();
    t.diagnostic(`trading again after ${await world.tradeAgain(probers)} ms`);
    const already = load.ordered;
    await until(() => load.ordered >= already + 20, 30_000, "orders flow again");
  } finally {
    await load.stop();
  }
  checkAnswers(world.history, callers);
}

interface Strike {
  readonly name: string;
  readonly strike: (world: World) => Promise<void>;
  /** An old primary that lives on still answers who reads of it: promoting is no fence (docs/scale.md). */
  readonly mayReadOld: boolean;
}

const STRIKES: readonly Strike[] = [
  {
    name: "a standby promoted under load has every acknowledged order, once (F85)",
    mayReadOld: false,
    async strike({ postgresql, standby }) {
      await crash(postgresql);
      await pause(chanceOf(seed).below(1_000));
      await standby!.promote();
    },
  },
  {
    name: "an old primary that lives on acknowledges nothing, and is left (F85)",
    mayReadOld: true,
    strike: ({ standby }) => standby!.promote(),
  },
];
for (const { name, strike, mayReadOld } of STRIKES) {
  test(name, async (t) => {
    const world = await openWorld({ standby: true });
    try {
      const probers = [await world.admit(), await world.admit()];
      const callers = await world.admitRich(2);
      await strikeUnderLoad(t, world, { callers, probers }, () => strike(world));
      const promoted = openDatabase(world.standby!.postgresql.url, { maxConnections: 2 });
      await world.check({ database: promoted, mayReadOld });
      await promoted.close();
    } finally {
      await world.close();
    }
  });
}

test("a cell's promoted standby has every acknowledged order, and only its partners notice (F85)", async (t) => {
  const settings = { ...PRIMARY_SETTINGS, wal_retrieve_retry_interval: "100ms" };
  const primary = await runPostgreSQL({ durable: true, settings });
  const standby = await runStandby(primary, { settings });
  const url = standby.followed(primary.url);
  const cell = openDatabase(url, { maxConnections: 2 });
  await migrate(cell);
  const world = await openWorld({ cellUrl: url });
  try {
    await addCellTo(world, cell);
    const probers = [await world.admit({ cell }), await world.admit({ cell })];
    await world.tradeAgain(probers);
    const callers = [await world.admit({ cell, cashRiyals: 10_000_000 })];
    const others = await world.admitRich(1);
    const { history } = world;
    const load = startWorkload({ history, callers: others, workers: 4, seed: seed + 1 });
    try {
      await strikeUnderLoad(t, world, { callers, probers }, async () => {
        await crash(primary);
        await standby.promote();
      });
    } finally {
      await load.stop();
    }
    const noticed = history.calls.filter(({ partner, status }) =>
      status >= 500 && partner === others[0]!.partnerId
    );
    assertEquals(noticed, []);
    const promoted = openDatabase(standby.postgresql.url, { maxConnections: 2 });
    await world.check({ database: promoted, callers: [...probers, ...callers], hasCells: true });
    await promoted.close();
    await world.check({ callers: others, hasCells: true });
    // Control's rows still come.
    await world.admit({ cell });
  } finally {
    await world.close();
    await cell.close();
    await standby.close();
    await primary.stop();
  }
});
