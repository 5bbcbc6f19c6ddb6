/** F85: under load a primary dies, or is cut off but keeps running, and its standby is promoted. */
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openDatabase } from "@sabika/database";
import { chanceOf, drawSeed } from "../support/history/chance.ts";
import { startWorkload } from "../support/history/workload.ts";
import { until } from "../support/until.ts";
import { crash } from "./postgresql_processes.ts";
import { checkAnswers, openWorld, type World } from "./world.ts";

const seed = drawSeed();

interface Strike {
  readonly name: string;
  readonly strike: (world: World) => Promise<void>;
  /** Whether the old primary still answers reads: promoting does not fence it off (docs/scale.md). */
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
    name: "an old primary that keeps running acknowledges nothing, and servers leave it (F85)",
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
      const load = startWorkload({ history: world.history, callers, workers: 8, seed });
      try {
        await until(() => load.ordered >= 30, 30_000, "orders flow");
        await strike(world);
        t.diagnostic(`trading again after ${await world.tradeAgain(probers)} ms`);
        const orderedBefore = load.ordered;
        await until(() => load.ordered >= orderedBefore + 20, 30_000, "orders flow again");
      } finally {
        await load.stop();
      }
      checkAnswers(world.history, callers);
      const promoted = openDatabase(world.standby!.postgresql.url, { maxConnections: 2 });
      await world.check({ database: promoted, mayReadOld });
      await promoted.close();
    } finally {
      await world.close();
    }
  });
}
