import { openDatabase } from "@sabika/core/store";
import { createFixedPrice, createTrading, type TradingPartner } from "@sabika/core/trading";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import { type Bench, figuresTake, type Measure } from "../measure.ts";
import { random } from "../random.ts";
import { judge } from "../ratio.ts";
import { CONNECTIONS } from "../run_orders.ts";
import { runPgbench } from "../world/pgbench.ts";
import { makeQuotes } from "../world/quotes.ts";
import type { Site } from "../world/site.ts";
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
  const chosen = site.partners.slice(0, partners).map(({ partnerId }) => asTrading(partnerId));
  const ids = chosen.map((partner) => partner.partnerId);
  const quotes = await makeQuotes(site.database.sql, ids, MOST_ORDERS_A_SECOND * seconds);
  const own = openDatabase(site.databaseUrl, { maxConnections: 8 });
  const prices = createFixedPrice({ midTenThousandths: 4_850_000n });
  const trading = createTrading({ database: own, prices, random, now: Date.now });
  let next = 0;
  let done = 0;
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (performance.now() < endMs) {
      const turn = next++;
      const partner = chosen[turn % partners]!;
      const quoteId = quotes[turn % partners]![Math.floor(turn / partners)];
      if (quoteId === undefined) return;
      const nowMs = Date.now();
      const outcome = await trading.order({
        partner,
        idempotencyKey: crypto.randomUUID(),
        parameters: `POST\n/v1/orders\n\n{"quote_id":"${quoteId}"}`,
        receivedAtMs: nowMs,
        request: { quoteId, clientReference: null },
        nonce: { value: crypto.randomUUID(), timestampSeconds: Math.floor(nowMs / 1000) },
      });
      if (!outcome.ok) throw new Error(`an order was refused: ${outcome.code}`);
      done++;
    }
  }));
  const rate = done / ((performance.now() - startMs) / 1000);
  await own.close();
  return rate;
}

function asTrading(partnerId: number): TradingPartner {
  return {
    partnerId,
    settlementIban: "SA0380000000608010167519",
    settings: {
      quoteMinMicrograms: 10_000n,
      quoteMaxMicrograms: 10_000_000_000n,
      openQuotesLimit: 1_000_000_000,
      spreadPpm: 5_000n,
      feePpm: 2_500n,
    },
  };
}
