import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import { type Bench, figuresTake, fillTakes, type Measure, type Size } from "../measure.ts";
import { judge } from "../ratio.ts";
import { runOrders } from "../run_orders.ts";
import { median, ratiosOf, spread } from "../statistics.ts";
import { columns } from "../table.ts";
import { bytesAnOrder } from "../world/bytes_an_order.ts";
import { childrenOf, processTime } from "../world/cpu_time.ts";
import { fill } from "../world/fill.ts";
import { logBytes } from "../world/log_bytes.ts";
import type { BenchPartner } from "../world/partners.ts";
import { createSite, type RunningService, type Site } from "../world/site.ts";
import { PARTNERS } from "../world/world.ts";
import { measureRest } from "./growth_rest.ts";

const ORDERS = 10_000_000;
const QUICK_ORDERS = 200_000;
/** Parts of the orders that partners of one database have; the last part is shared by all others. */
const PARTS = [1, 0.1, 0.01, 0.1];

/** Orders are of a month and nonces of a day. */
const DAYS = 30;

/** What one run came to: a rate and what it wrote. */
interface Figure {
  perSecond: number;
  /** Of the database's log, an order. */
  logBytes: number;
  /** On a processor, all processes of the database, an order. */
  microseconds: number;
}

export const growth: Measure = {
  name: "growth",
  asks:
    "Does an order of a partner with 10 million cost as much as its first, across a checkpoint?",
  long: true,
  takes: (size) =>
    fillTakes(1.2 * storedOrders(size)) + figuresTake(size, 7) + storedOrders(size) / 150_000,
  async run(bench) {
    const { rounds, progress } = bench;
    const { postgresql } = await bench.world();
    const stored = storedOrders(bench);
    const empty = await createSite(postgresql, "young", PARTNERS);
    const grown = await createSite(postgresql, "grown", PARTNERS);
    try {
      const sizes = await store(bench, grown, stored);
      const servers = { empty: await empty.startServer(), grown: await grown.startServer() };
      const figures = new Map<string, Figure[]>();
      const time = () =>
        childrenOf(postgresql.pid).reduce((sum, { pid }) => sum + processTime(pid), 0);
      const rate =
        (name: string, site: Site, server: RunningService, first: number, of: number) =>
        async () => {
          const chosen = site.partners.slice(first, first + of);
          const figure = await acrossCheckpoint(bench, site, server, chosen, time);
          figures.set(name, [...figures.get(name) ?? [], figure]);
          return figure.perSecond;
        };
      const runs: Record<string, () => Promise<number>> = {
        empty: rate("empty", empty, servers.empty, 0, 1),
        hundredEmpty: rate("hundredEmpty", empty, servers.empty, 0, PARTNERS),
        hundred: rate("hundred", grown, servers.grown, 0, PARTNERS),
      };
      sizes.forEach((_, at) =>
        runs[`grown${at}`] = rate(`grown${at}`, grown, servers.grown, at, 1)
      );
      progress.say("warming up");
      for (const run of Object.values(runs)) await run();
      figures.clear();
      const found = await interleave(rounds, runs, (round, name, perSecond) => {
        const { logBytes, microseconds } = figures.get(name)!.at(-1)!;
        progress.say(
          `growth, round ${round + 1}: ${name} ${perSecond.toFixed(0)} a second; an order ` +
            `${logBytes.toFixed(0)} bytes of log, ${microseconds.toFixed(0)} µs of the database`,
        );
      });
      const middle = (name: string, of: "logBytes" | "microseconds") =>
        median(figures.get(name)!.map((figure) => figure[of]));
      const points = sizes.map((orders, at) => ({
        orders,
        ...spread(ratiosOf(found[`grown${at}`]!, found["empty"]!)),
        logBytes: middle(`grown${at}`, "logBytes"),
      }));
      bench.curve(points);
      bench.note(columns([
        ["orders of a partner before", "rate ÷ none", "bytes of log", "µs of the database"],
        ...[{ orders: 0, median: 1 }, ...points].map(({ orders, median }, at) => {
          const name = at === 0 ? "empty" : `grown${at - 1}`;
          return [
            orders.toLocaleString("en"),
            median.toFixed(2),
            middle(name, "logBytes").toFixed(0),
            middle(name, "microseconds").toFixed(0),
          ];
        }),
      ]));
      const side = (site: Site, server: RunningService, daysAgo: number) => ({
        ...{ site, server, daysAgo },
        partner: site.partners[0]!,
      });
      return [
        judge(GOALS.giantOverEmpty, found["grown0"]!, found["empty"]!),
        judge(GOALS.hundredOverEmpty, found["hundred"]!, found["hundredEmpty"]!),
        ...await measureRest(
          bench,
          side(empty, servers.empty, 0),
          side(grown, servers.grown, DAYS / 2),
        ),
      ];
    } finally {
      await empty.close();
      await grown.close();
    }
  },
};

function storedOrders({ rows, quick }: Size): number {
  return rows ?? (quick ? QUICK_ORDERS : ORDERS);
}

/** Gives the first partners their pasts, and returns how many orders each has. */
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
  const { sql } = site.database;
  const before = await bytesAnOrder(sql, 1);
  let said = 0;
  await fill(sql, pasts, Math.floor(Date.now() / 1000), (done) => {
    if (done - said < 1_000_000) return;
    said = done;
    bench.progress.say(`stored ${done} of ${all}`);
  });
  const after = await bytesAnOrder(sql, all, before);
  bench.note(columns([
    ["table, with its indexes", "bytes an order"],
    ...after.map(([table, bytes]) => [table, bytes.toFixed(0)]),
    ["together", after.reduce((sum, [, bytes]) => sum + bytes, 0).toFixed(0)],
  ]));
  return sizes;
}

/** Orders a second of some partners, with a checkpoint in the middle. */
async function acrossCheckpoint(
  bench: Bench,
  site: Site,
  server: RunningService,
  chosen: readonly BenchPartner[],
  time: () => number,
): Promise<Figure> {
  const { sql } = site.database;
  let checkpoint: Promise<unknown> | undefined;
  let before: Promise<bigint> | undefined;
  let startedAt = 0;
  const result = await runOrders(bench, site, server, chosen, undefined, () => {
    before = logBytes(sql);
    startedAt = time();
    checkpoint = new Promise((resolve) => setTimeout(resolve, bench.seconds * 500))
      .then(() => sql.unsafe("checkpoint"));
  });
  const microseconds = (time() - startedAt) / result.answers;
  const written = await logBytes(sql) - await before!;
  await checkpoint;
  return { perSecond: result.perSecond, logBytes: Number(written) / result.answers, microseconds };
}
