import { openDatabase } from "@sabika/core/store";
import { createFixedPrice, createTrading } from "@sabika/core/trading";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import { type Bench, figuresTake, type Measure } from "../measure.ts";
import { random } from "../random.ts";
import { judge } from "../ratio.ts";
import { CONNECTIONS } from "../run_orders.ts";
import { runPgbench } from "../world/pgbench.ts";
import { makeQuotes } from "../world/quotes.ts";
import type { Site } from "../world/site.ts";
import { tradeOrders } from "../world/trade_orders.ts";
import { PARTNERS } from "../world/world.ts";

const MOST_ORDERS_A_SECOND = 15_000;

/** Trading without the HTTP face: what is left above its goal is what signatures and HTTP may cost. */
export const database: Measure = {
  name: "database",
  asks: "How many orders a second does trading itself carry out, without HTTP and signatures?",
  long: true,
  takes: (size) => figuresTake(size, 3, 1),
  async run(bench) {
    const { rounds, seconds, progress } = bench;
    const { site, pgbench } = await bench.world();
    await perSecond(bench, site, PARTNERS);
    const found = await interleave(rounds, {
      pgbench: () => runPgbench(pgbench, { clients: 8, seconds }),
      hot: () => perSecond(bench, site, 1),
      hundred: () => perSecond(bench, site, PARTNERS),
    }, (round, name, figure) => {
      progress.say(`database, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
    });
    return [
      judge(GOALS.databaseHot, found.hot, found.pgbench),
      judge(GOALS.databaseHundred, found.hundred, found.pgbench),
    ];
  },
};

async function perSecond({ seconds }: Bench, site: Site, partners: number): Promise<number> {
  const partnerIds = site.partners.slice(0, partners).map(({ partnerId }) => partnerId);
  const quotes = await makeQuotes(site.database.sql, partnerIds, MOST_ORDERS_A_SECOND * seconds);
  const own = openDatabase(site.databaseUrl, { maxConnections: 8 });
  const prices = createFixedPrice({ midTenThousandths: 4_850_000n });
  const trading = createTrading({ database: own, prices, random, now: Date.now });
  const traded = await tradeOrders({ trading, partnerIds, quotes, inFlight: CONNECTIONS, seconds });
  await own.close();
  return traded.done / traded.seconds;
}
