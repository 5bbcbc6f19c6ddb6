import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { LoadResult } from "../loader/drive.ts";
import type { Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { BUSY_CONNECTIONS, CONNECTIONS, runOrders } from "../run_orders.ts";
import { runPgbench } from "../world/pgbench.ts";
import { PARTNERS } from "../world/world.ts";
import { prepareFlood } from "./flood.ts";

const CLIENTS = 8;

/** Orders per second, and their latency. */
export const orders: Measure = {
  name: "orders",
  asks: "How many signed orders a second, how quickly, and beside a neighbour's flood?",
  async run(bench) {
    const { rounds, seconds, progress } = bench;
    const { site, pgbench } = await bench.world();
    const server = await site.startServer();
    const flood = await prepareFlood(bench, site, server);
    const tails = { hot: [] as LoadResult[], hundred: [] as LoadResult[] };
    const calmer = (partners: number, tail: LoadResult[]) => async () => {
      const result = await runOrders(bench, site, server, partners, CONNECTIONS);
      tail.push(result);
      return result.perSecond;
    };
    const rate = (partners: number) => async () =>
      (await runOrders(bench, site, server, partners, BUSY_CONNECTIONS)).perSecond;
    try {
      progress.say("warming up");
      await rate(1)();
      await rate(PARTNERS)();
      await flood.alone();
      const found = await interleave(rounds, {
        pgbench: () => runPgbench(pgbench, { clients: CLIENTS, seconds }),
        hot: rate(1),
        hundred: rate(PARTNERS),
        calmerHot: calmer(1, tails.hot),
        calmerHundred: calmer(PARTNERS, tails.hundred),
        alone: flood.alone,
        besideFlood: flood.beside,
      }, (round, name, figure) => {
        const unit = name === "alone" || name === "besideFlood" ? "ms, p99" : "a second";
        progress.say(`orders, round ${round + 1}: ${name} ${figure.toFixed(0)} ${unit}`);
      });
      const p50s = (runs: LoadResult[]) => runs.map(({ p50Ms }) => p50Ms);
      const p99s = (runs: LoadResult[]) => runs.map(({ p99Ms }) => p99Ms);
      return [
        judge(GOALS.hotOverPgbench, found.hot, found.pgbench),
        judge(GOALS.hundredOverPgbench, found.hundred, found.pgbench),
        judge(GOALS.tailHot, p99s(tails.hot), p50s(tails.hot)),
        judge(GOALS.tailHundred, p99s(tails.hundred), p50s(tails.hundred)),
        judge(GOALS.flood, found.besideFlood, found.alone),
      ];
    } finally {
      await flood.stop();
      await server.stop();
    }
  },
};
