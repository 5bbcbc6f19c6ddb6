import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Bench, Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { runOrders } from "../run_orders.ts";
import { median } from "../statistics.ts";
import { columns } from "../table.ts";
import { childrenOf, processTime } from "../world/cpu_time.ts";
import { fill } from "../world/fill.ts";
import { logBytes } from "../world/log_bytes.ts";
import type { BenchPartner } from "../world/partners.ts";
import { createSite, type RunningService, type Site } from "../world/site.ts";
import { PARTNERS } from "../world/world.ts";

const ORDERS = 10_000_000;
const QUICK_ORDERS = 200_000;
/** The first partners' shares of `orders`; all other partners together have the last share. */
const PARTS = [1, 0.1, 0.01, 0.1];

/** The days over which the stored orders are spread. */
const DAYS = 30;

/** The cost of an order in a run. */
interface OrderCost {
  logBytes: number;
  /** Processor time of all processes of the database. */
  microseconds: number;
}

/** Compares the cost of an order between partners with few and with many earlier orders. */
export const growth: Measure = {
  name: "growth",
  asks:
    "Does an order of a partner with 10 million cost as much as its first, across a checkpoint?",
  long: true,
  async run(bench) {
    const { rounds, progress } = bench;
    const { postgresql } = await bench.world();
    const stored = bench.rows ?? (bench.quick ? QUICK_ORDERS : ORDERS);
    const young = await createSite(postgresql, "young", PARTNERS);
    const grown = await createSite(postgresql, "grown", PARTNERS);
    try {
      const sizes = await store(bench, grown, stored);
      const servers = { young: await young.startServer(), grown: await grown.startServer() };
      const databaseTime = () =>
        childrenOf(postgresql.pid).reduce((sum, { pid }) => sum + processTime(pid), 0);
      const costs = new Map<string, OrderCost[]>();
      const rate = (name: string, partners: readonly BenchPartner[]) => async () => {
        const [site, server] = name.startsWith("young")
          ? [young, servers.young]
          : [grown, servers.grown];
        const { perSecond, ...cost } = await acrossCheckpoint(
          bench,
          { site, server, partners },
          databaseTime,
        );
        costs.set(name, [...costs.get(name) ?? [], cost]);
        return perSecond;
      };
      const lone = sizes.map((orders, at) => ({ orders, name: `grown, ${orders}`, at }));
      const runs: Record<string, () => Promise<number>> = {
        young: rate("young", young.partners.slice(0, 1)),
        youngHundred: rate("youngHundred", young.partners),
        grownHundred: rate("grownHundred", grown.partners),
      };
      for (const { name, at } of lone) runs[name] = rate(name, [grown.partners[at]!]);
      progress.say("warming up");
      for (const run of Object.values(runs)) await run();
      costs.clear();
      const found = await interleave(rounds, runs, (round, name, perSecond) => {
        progress.say(`growth, round ${round + 1}: ${name} ${perSecond.toFixed(0)} a second`);
      });
      const costCells = (name: string) =>
        (["logBytes", "microseconds"] as const).map((part) =>
          median(costs.get(name)!.map((cost) => cost[part])).toFixed(0)
        );
      bench.note(columns([
        ["orders of a partner before", "rate ÷ none", "bytes of log", "µs of the database"],
        ["0", "1.00", ...costCells("young")],
        ...lone.map(({ orders, name }) => [
          orders.toLocaleString("en"),
          judge(GOALS.giantOverEmpty, found[name]!, found["young"]!).median.toFixed(2),
          ...costCells(name),
        ]),
      ]));
      return [
        judge(GOALS.giantOverEmpty, found[lone[0]!.name]!, found["young"]!),
        judge(GOALS.hundredOverEmpty, found["grownHundred"]!, found["youngHundred"]!),
      ];
    } finally {
      await young.close();
      await grown.close();
    }
  },
};

/** Stores orders of all partners, and returns how many each of the first partners has. */
async function store(bench: Bench, site: Site, orders: number): Promise<number[]> {
  const sizes = PARTS.slice(0, -1).map((part) => Math.ceil(orders * part));
  const ids = site.partners.map(({ partnerId }) => partnerId);
  const rest = Math.ceil(orders * PARTS.at(-1)! / (ids.length - sizes.length));
  const pasts = ids.map((partnerId, at) => ({
    partnerId,
    orders: sizes[at] ?? rest,
    perNonce: DAYS,
  }));
  const all = pasts.reduce((sum, past) => sum + past.orders, 0);
  bench.progress.say(`storing ${all} orders, ${sizes[0]} of them of one partner`);
  let reported = 0;
  await fill(site.database.sql, pasts, Math.floor(Date.now() / 1000), (done) => {
    if (done - reported < 1_000_000) return;
    reported = done;
    bench.progress.say(`stored ${done} of ${all}`);
  });
  return sizes;
}

/** Measures the orders of some partners, with a checkpoint during the run. */
async function acrossCheckpoint(
  bench: Bench,
  { site, server, partners }: {
    site: Site;
    server: RunningService;
    partners: readonly BenchPartner[];
  },
  databaseTime: () => number,
): Promise<OrderCost & { perSecond: number }> {
  const { sql } = site.database;
  let checkpoint: Promise<unknown> | undefined;
  let before: Promise<bigint> | undefined;
  let startedAt = 0;
  const result = await runOrders(bench, site, server, partners, undefined, () => {
    before = logBytes(sql);
    startedAt = databaseTime();
    checkpoint = new Promise((resolve) => setTimeout(resolve, bench.seconds * 500))
      .then(() => sql.unsafe("checkpoint"));
  });
  const microseconds = (databaseTime() - startedAt) / result.answers;
  const written = await logBytes(sql) - await before!;
  await checkpoint;
  return { perSecond: result.perSecond, logBytes: Number(written) / result.answers, microseconds };
}
