import { createReading } from "@sabika/core/trading";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import { fillTakes, type Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { deepCursor, GROWING_LISTS, type GrowingList } from "../world/deep_cursor.ts";
import { fill } from "../world/fill.ts";
import { createSite } from "../world/site.ts";

const ORDERS = 5_000_000;
const QUICK_ORDERS = 200_000;
const PAGE = 100;
/** Pages that are read for one figure; each list's own connection is warm then. */
const READS = 200;

const GOAL_OF = {
  orders: GOALS.deepOrders,
  quotes: GOALS.deepQuotes,
  events: GOALS.deepEvents,
  ledger: GOALS.deepLedger,
} as const;

export const lists: Measure = {
  name: "lists",
  asks: "Does the 50 000th page of a list of 5 million cost as much as the first?",
  long: true,
  takes: (size) => fillTakes(size.quick ? QUICK_ORDERS : ORDERS) + 4 * size.rounds,
  async run(bench) {
    const { rounds, progress, quick } = bench;
    const { postgresql } = await bench.world();
    const stored = quick ? QUICK_ORDERS : ORDERS;
    const site = await createSite(postgresql, "lists", 1);
    try {
      const { partnerId } = site.partners[0]!;
      const { database } = site;
      progress.say(`storing ${stored} orders of one partner`);
      const nowSeconds = Math.floor(Date.now() / 1000);
      await fill(database.sql, [{ partnerId, orders: stored }], nowSeconds, (done) => {
        if (done % 500_000 === 0) progress.say(`stored ${done} of ${stored}`);
      });
      const reading = createReading({ database, environment: "sandbox", now: Date.now });
      const read = {
        orders: reading.listOrders,
        quotes: reading.listQuotes,
        events: reading.listEvents,
        ledger: reading.listLedgerEntries,
      };
      const figures: Record<string, () => Promise<number>> = {};
      for (const list of Object.keys(GROWING_LISTS) as GrowingList[]) {
        const deep = await deepCursor(database.sql, list, { partnerId, rows: stored - PAGE });
        for (const [name, cursor] of [["first", undefined], ["deep", deep]] as const) {
          figures[`${list} ${name}`] = () =>
            millisecondsOf(() => read[list]({ partnerId, limit: PAGE, cursor }));
        }
      }
      for (const figure of Object.values(figures)) await figure();
      const found = await interleave(rounds, figures, (round, name, figure) => {
        progress.say(`lists, round ${round + 1}: ${name} page ${figure.toFixed(2)} ms`);
      });
      return (Object.keys(GROWING_LISTS) as GrowingList[]).map((list) =>
        judge(GOAL_OF[list], found[`${list} deep`]!, found[`${list} first`]!)
      );
    } finally {
      await site.close();
    }
  },
};

/** The median time of a page. */
async function millisecondsOf(page: () => Promise<{ ok: boolean }>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < READS; n++) {
    const startMs = performance.now();
    const { ok } = await page();
    if (!ok) throw new Error("a page was refused");
    times.push(performance.now() - startMs);
  }
  return times.sort((one, other) => one - other)[READS / 2]!;
}
