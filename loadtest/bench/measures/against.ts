import { resolve } from "node:path";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Measure } from "../measure.ts";
import { judge, type Ratio } from "../ratio.ts";
import { BUSY_CONNECTIONS, CONNECTIONS, runOrders } from "../run_orders.ts";
import type { RunningService } from "../world/site.ts";
import { PARTNERS } from "../world/world.ts";

/** The server of this folder and that of another checkout with the same tables, on one database. */
export const against: Measure = {
  name: "against",
  asks: "Does a change pay? Orders a second of this server against those of another checkout's.",
  onlyNamed: true,
  async run(bench) {
    const { rounds, progress } = bench;
    if (bench.against === undefined) throw new Error("--against says which checkout");
    const { site } = await bench.world();
    const program = resolve(bench.against, "packages", "server", "main.ts");
    const services = {
      here: await site.startServer(),
      there: await site.startServer({}, program),
    };
    const tails = { here: [] as number[], there: [] as number[] };
    const rate = (name: "here" | "there", partners: number, connections: number) => async () => {
      const service: RunningService = services[name];
      const { perSecond, p99Ms } = await runOrders(bench, site, service, partners, connections);
      if (partners === 1 && connections === CONNECTIONS) tails[name].push(p99Ms);
      return perSecond;
    };
    const loads = [
      [GOALS.hotAgainst, 1, BUSY_CONNECTIONS],
      [GOALS.hundredAgainst, PARTNERS, BUSY_CONNECTIONS],
      [GOALS.calmerHotAgainst, 1, CONNECTIONS],
      [GOALS.calmerHundredAgainst, PARTNERS, CONNECTIONS],
    ] as const;
    const runs = Object.fromEntries(
      loads.flatMap(([{ name }, partners, connections]) =>
        (["here", "there"] as const).map((side) => [
          `${name}, ${side}`,
          rate(side, partners, connections),
        ])
      ),
    );
    progress.say("warming up");
    for (const run of Object.values(runs)) await run();
    for (const times of Object.values(tails)) times.length = 0;
    const found = await interleave(rounds, runs, (round, name, figure) => {
      progress.say(`against, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
    });
    for (const service of Object.values(services)) await service.stop();
    return [
      ...loads.map(([goal]): Ratio =>
        judge(goal, found[`${goal.name}, here`]!, found[`${goal.name}, there`]!)
      ),
      judge(GOALS.tailAgainst, tails.here, tails.there),
    ];
  },
};
