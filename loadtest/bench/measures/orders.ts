import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { LoadResult } from "../loader/drive.ts";
import { figuresTake, type Measure } from "../measure.ts";
import { judge, type Ratio } from "../ratio.ts";
import { BUSY_CONNECTIONS, CONNECTIONS, runOrders } from "../run_orders.ts";
import { runPgbench } from "../world/pgbench.ts";
import { runPlainCall } from "../world/plain_call.ts";
import type { RunningService } from "../world/site.ts";
import { PARTNERS } from "../world/world.ts";

const CLIENTS = 8;

export const orders: Measure = {
  name: "orders",
  asks: "How many signed orders a second, against pgbench, the naive service, a call a transfer?",
  takes: (size) => 25 + figuresTake(size, 9, 4),
  async run(bench) {
    const { rounds, seconds, progress } = bench;
    const { site, pgbench } = await bench.world();
    const server = await site.startServer();
    const naive = await site.startNaive();
    const tails: Record<"hot" | "hundred", LoadResult[]> = { hot: [], hundred: [] };
    const calmer = (name: "hot" | "hundred") => async () => {
      const partners = name === "hot" ? 1 : PARTNERS;
      const result = await runOrders(bench, site, server, partners, CONNECTIONS);
      tails[name].push(result);
      return result.perSecond;
    };
    const rate = (service: RunningService, partners: number) => async () =>
      (await runOrders(bench, site, service, partners, BUSY_CONNECTIONS)).perSecond;
    try {
      progress.say("warming up");
      for (const service of [server, naive]) {
        await rate(service, 1)();
        await rate(service, PARTNERS)();
      }
      const found = await interleave(rounds, {
        pgbench: () => runPgbench(pgbench, { clients: CLIENTS, seconds }),
        hot: rate(server, 1),
        hundred: rate(server, PARTNERS),
        calmerHot: calmer("hot"),
        calmerHundred: calmer("hundred"),
        naiveHot: rate(naive, 1),
        naiveHundred: rate(naive, PARTNERS),
        plainHot: () => runPlainCall(pgbench, "hot", seconds),
        plainHundred: () => runPlainCall(pgbench, "hundred", seconds),
      }, (round, name, figure) => {
        progress.say(`orders, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
      });
      return [
        judge(GOALS.hotOverPgbench, found.hot, found.pgbench),
        judge(GOALS.hundredOverPgbench, found.hundred, found.pgbench),
        judge(GOALS.calmerHotOverPgbench, found.calmerHot, found.pgbench),
        judge(GOALS.calmerHundredOverPgbench, found.calmerHundred, found.pgbench),
        judge(GOALS.hotOverHundred, found.hot, found.hundred),
        judge(GOALS.hotOverNaive, found.hot, found.naiveHot),
        judge(GOALS.hundredOverNaive, found.hundred, found.naiveHundred),
        judge(GOALS.hotOverPlainCall, found.hot.map(transfers), found.plainHot),
        judge(GOALS.hundredOverPlainCall, found.hundred.map(transfers), found.plainHundred),
        tail(GOALS.tailHot, tails.hot),
        tail(GOALS.tailHundred, tails.hundred),
      ];
    } finally {
      await server.stop();
      await naive.stop();
    }
  },
};

function tail(goal: typeof GOALS.tailHot | typeof GOALS.tailHundred, runs: LoadResult[]): Ratio {
  return judge(goal, runs.map((run) => run.p99Ms), runs.map((run) => run.p50Ms));
}

/** An order posts two transfers, one of money and one of gold. */
function transfers(orders: number): number {
  return orders * 2;
}
