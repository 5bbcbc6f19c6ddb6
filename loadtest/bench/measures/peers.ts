import {
  findFormanceLedger,
  FORMANCE_LEDGER_VERSION,
} from "../../../tools/programs/find_formance_ledger.ts";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { LoadResult } from "../loader/drive.ts";
import type { Bench, Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { BUSY_CONNECTIONS, runOrders } from "../run_orders.ts";
import { median } from "../statistics.ts";
import { columns } from "../table.ts";
import { type FormanceLedger, type Spread, startFormanceLedger } from "../world/formance_ledger.ts";
import type { Site } from "../world/site.ts";
import { PARTNERS } from "../world/world.ts";

export const peers: Measure = {
  name: "peers",
  asks: "How many orders a second beside another open-source ledger?",
  onlyNamed: true,
  async run(bench) {
    const { rounds, progress } = bench;
    const program = await findFormanceLedger(progress.say);
    const { postgresql, site } = await bench.world();
    progress.say(`Formance Ledger: making ${PARTNERS} pairs of accounts, and a ledger for each`);
    const formance = await startFormanceLedger(postgresql, program, PARTNERS);
    const server = await site.startServer();
    const before = await countOrders(site);
    const kept = new Map<string, LoadResult[]>();
    const answered = { sabika: 0, formance: 0 };
    const rate =
      (name: string, ledger: keyof typeof answered, run: () => Promise<LoadResult>) => async () => {
        const result = await run();
        answered[ledger] += result.succeeded;
        kept.set(name, [...kept.get(name) ?? [], result]);
        return result.perSecond;
      };
    const ours = (name: string, partners: number) =>
      rate(name, "sabika", () => runOrders(bench, site, server, partners, BUSY_CONNECTIONS));
    const theirs = (name: string, spread: Spread) =>
      rate(name, "formance", () => runFormance(bench, formance, spread));
    const runs = {
      hot: ours("Sabika, one pair of accounts", 1),
      hundred: ours("Sabika, 100 pairs", PARTNERS),
      formanceHot: theirs(`Formance Ledger ${FORMANCE_LEDGER_VERSION}, one pair`, "hot"),
      formanceHundred: theirs("Formance Ledger, 100 pairs", "hundred"),
      formanceApart: theirs("Formance Ledger, 100 pairs in a ledger each", "apart"),
    };
    try {
      progress.say("warming up");
      for (const run of Object.values(runs)) await run();
      kept.clear();
      const found = await interleave(rounds, runs, (round, name, figure) => {
        progress.say(`peers, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
      });
      requireSame("Sabika", answered.sabika, await countOrders(site) - before);
      requireSame("Formance Ledger", answered.formance, await formance.booked());
      const middle = (results: readonly LoadResult[], part: "perSecond" | "p50Ms" | "p99Ms") =>
        median(results.map((result) => result[part])).toFixed(0);
      bench.note(columns([
        ["medians; all that was answered is in the books", "orders a second", "p50 ms", "p99 ms"],
        ...Array.from(kept, ([name, results]) => [
          name,
          middle(results, "perSecond"),
          middle(results, "p50Ms"),
          middle(results, "p99Ms"),
        ]),
      ]));
      return [
        judge(GOALS.hotOverFormance, found.hot, found.formanceHot),
        judge(GOALS.hundredOverFormance, found.hundred, found.formanceHundred),
        judge(GOALS.hundredOverFormanceApart, found.hundred, found.formanceApart),
      ];
    } finally {
      await formance.stop();
      await server.stop();
    }
  },
};

/** More than it carries out in a second, so that its orders never run out. */
const FORMANCE_ORDERS_A_SECOND = 3_000;

async function runFormance({ loader, seconds }: Bench, formance: FormanceLedger, spread: Spread) {
  return await loader.run({
    target: formance.target,
    baseUrl: formance.baseUrl,
    connections: BUSY_CONNECTIONS,
    seconds,
    lanes: [],
    posts: formance.orders(spread, FORMANCE_ORDERS_A_SECOND * seconds),
    expected: [200],
  });
}

/** @throws Error when the books have other orders than were answered: then the rate means nothing */
function requireSame(name: string, answered: number, booked: number): void {
  if (answered === booked) return;
  throw new Error(`${name} answered ${answered} orders and has ${booked} in its books`);
}

async function countOrders({ database }: Site): Promise<number> {
  const [row] = await database.sql<{ orders: number }[]>`
    select count(*)::int as orders from orders`;
  return row!.orders;
}
