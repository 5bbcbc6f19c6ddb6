import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Target } from "../loader/connection.ts";
import { figuresTake, type Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { BUSY_CONNECTIONS, CONNECTIONS } from "../run_orders.ts";
import { ratiosOf, spread } from "../statistics.ts";
import { columns } from "../table.ts";
import { processTime } from "../world/cpu_time.ts";
import { openStackSite } from "../world/stack_site.ts";

export const envoy: Measure = {
  name: "envoy",
  asks: "What does our Envoy cost against the smallest one with mutual TLS, and against none?",
  long: true,
  takes: (size) => 15 + 1.3 * figuresTake(size, 6, 4),
  async run({ rounds, seconds, loader, progress, note }) {
    progress.say("starting the stack: PostgreSQL, one server, Envoy; two more Envoys before them");
    const site = await openStackSite();
    try {
      const own = await site.startOwnTls();
      const smallest = await site.startOtherEnvoy("smallest");
      const two = await site.startOtherEnvoy("two workers");
      const cost = { envoy: [] as number[], smallest: [] as number[] };
      const rate = (target: Target, connections: number) => async () =>
        (await site.run(loader, target, { seconds, connections })).perSecond;
      /** The same, and notes the microseconds that this Envoy was on a processor for each order. */
      const costOf = (which: keyof typeof cost, target: Target, pid: number) => async () => {
        let before = 0;
        const result = await site.run(loader, target, {
          ...{ seconds, connections: BUSY_CONNECTIONS },
          onGo: () => void (before = processTime(pid)),
        });
        cost[which].push((processTime(pid) - before) / result.answers);
        return result.perSecond;
      };
      const measures = {
        envoy: costOf("envoy", site.envoy, site.stack.sidecar().pid),
        smallest: costOf("smallest", smallest.target, smallest.pid),
        two: rate(two.target, BUSY_CONNECTIONS),
        own: rate(own.target, BUSY_CONNECTIONS),
        calmerEnvoy: rate(site.envoy, CONNECTIONS),
        calmerOwn: rate(own.target, CONNECTIONS),
      };
      progress.say("warming up");
      for (const name of ["envoy", "smallest", "two", "own"] as const) await measures[name]();
      for (const list of Object.values(cost)) list.length = 0;
      const found = await interleave(rounds, measures, (round, name, figure) => {
        const list = name in cost ? cost[name as keyof typeof cost] : [];
        const each = list.length === 0 ? "" : `, ${list.at(-1)!.toFixed(0)} µs of Envoy an order`;
        progress.say(`envoy, round ${round + 1}: ${name} ${figure.toFixed(0)} a second${each}`);
      });
      const row = (name: string, above: readonly number[], below: readonly number[]) => {
        const { median, min, max } = spread(ratiosOf(above, below));
        return [name, ...[median, min, max].map((figure) => figure.toFixed(2))];
      };
      note(columns([
        ["orders a second; without a goal", "median", "min", "max"],
        row("through Envoy ÷ own mTLS", found.envoy, found.own),
        row("the same, 32 connections", found.calmerEnvoy, found.calmerOwn),
        row("Envoy with --concurrency 2 ÷ 1", found.two, found.envoy),
        row("Envoy with --concurrency 2 ÷ own mTLS", found.two, found.own),
        row("our Envoy ÷ the smallest", found.envoy, found.smallest),
      ]));
      return [judge(GOALS.envoyShare, cost.envoy, cost.smallest)];
    } finally {
      await site.close();
    }
  },
};
