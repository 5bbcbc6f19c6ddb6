import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { BUSY_CONNECTIONS } from "../run_orders.ts";
import { processTime } from "../world/cpu_time.ts";
import { openStackSite } from "../world/stack_site.ts";

export const envoy: Measure = {
  name: "envoy",
  asks: "What does our Envoy cost against the smallest one with mutual TLS?",
  long: true,
  async run({ rounds, seconds, loader, progress }) {
    progress.say("starting the stack: PostgreSQL, one server, Envoy; another Envoy beside it");
    const site = await openStackSite();
    try {
      const smallest = await site.startSmallestEnvoy();
      /** Microseconds that an Envoy was on a processor for each order. */
      const cost = (port: number, pid: number) => async () => {
        let before = 0;
        const { answers } = await site.run(loader, {
          port,
          seconds,
          connections: BUSY_CONNECTIONS,
          onGo: () => void (before = processTime(pid)),
        });
        return (processTime(pid) - before) / answers;
      };
      const measures = {
        ours: cost(site.port, site.stack.sidecar().pid),
        smallest: cost(smallest.port, smallest.pid),
      };
      progress.say("warming up");
      for (const measure of Object.values(measures)) await measure();
      const found = await interleave(rounds, measures, (round, name, figure) => {
        progress.say(`envoy, round ${round + 1}: ${name} ${figure.toFixed(0)} µs an order`);
      });
      return [judge(GOALS.envoyShare, found.ours, found.smallest)];
    } finally {
      await site.close();
    }
  },
};
