import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Target } from "../loader/connection.ts";
import { figuresTake, type Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { BUSY_CONNECTIONS, CONNECTIONS } from "../run_orders.ts";
import { openStackSite } from "../world/stack_site.ts";

export const envoy: Measure = {
  name: "envoy",
  asks: "What does the sidecar cost against the server's own mutual TLS?",
  long: true,
  takes: (size) => 10 + 1.3 * figuresTake(size, 4, 2),
  async run({ rounds, seconds, loader, progress }) {
    progress.say("starting the stack: PostgreSQL, one server, Envoy");
    const site = await openStackSite();
    try {
      const own = await site.startOwnTls();
      const rate = (target: Target, connections: number) => async () =>
        (await site.run(loader, target, { seconds, connections })).perSecond;
      const measures = {
        envoy: rate(site.envoy, BUSY_CONNECTIONS),
        own: rate(own.target, BUSY_CONNECTIONS),
        calmerEnvoy: rate(site.envoy, CONNECTIONS),
        calmerOwn: rate(own.target, CONNECTIONS),
      };
      progress.say("warming up");
      await measures.envoy();
      await measures.own();
      const found = await interleave(rounds, measures, (round, name, figure) => {
        progress.say(`envoy, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
      });
      return [
        judge(GOALS.envoyOverOwnTls, found.envoy, found.own),
        judge(GOALS.calmerEnvoyOverOwnTls, found.calmerEnvoy, found.calmerOwn),
      ];
    } finally {
      await site.close();
    }
  },
};
