import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import { figuresTake, fillTakes, type Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { runOrders } from "../run_orders.ts";
import { fill, type Past } from "../world/fill.ts";
import { createSite, type Site } from "../world/site.ts";
import { PARTNERS } from "../world/world.ts";

const ORDERS = 5_000_000;
const QUICK_ORDERS = 200_000;

export const full: Measure = {
  name: "full",
  asks: "Is it as quick with 5 million orders and 5 million live nonces as with none?",
  long: true,
  takes: (size) => fillTakes(size.quick ? QUICK_ORDERS : ORDERS) + figuresTake(size, 4),
  async run(bench) {
    const { rounds, progress, quick } = bench;
    const { postgresql } = await bench.world();
    const stored = quick ? QUICK_ORDERS : ORDERS;
    const empty = await createSite(postgresql, "empty", PARTNERS);
    const filled = await createSite(postgresql, "filled", PARTNERS);
    try {
      progress.say(`storing ${stored} orders and as many live nonces`);
      await fill(filled.database.sql, pasts(filled, stored), nowSeconds(), (done) => {
        if (done % 500_000 === 0) progress.say(`stored ${done} of ${stored}`);
      });
      const servers = { empty: await empty.startServer(), filled: await filled.startServer() };
      const rate = (site: Site, name: keyof typeof servers, partners: number) => async () =>
        (await runOrders(bench, site, servers[name], partners)).perSecond;
      for (const partners of [1, PARTNERS]) {
        await rate(empty, "empty", partners)();
        await rate(filled, "filled", partners)();
      }
      const found = await interleave(rounds, {
        empty: rate(empty, "empty", PARTNERS),
        filled: rate(filled, "filled", PARTNERS),
        emptyHot: rate(empty, "empty", 1),
        filledHot: rate(filled, "filled", 1),
      }, (round, name, figure) => {
        progress.say(`full, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
      });
      return [
        judge(GOALS.fullOverEmpty, found.filled, found.empty),
        judge(GOALS.neighbour, found.filledHot, found.emptyHot),
      ];
    } finally {
      await empty.close();
      await filled.close();
    }
  },
};

/**
 * One giant with four fifths of everything; the others share the rest. The first partner, which the
 * hot runs are about, has nothing of its own: only neighbours.
 */
function pasts(site: Site, orders: number): Past[] {
  const [, ...others] = site.partners.map((partner) => partner.partnerId);
  const giant = others.pop()!;
  const each = Math.ceil(orders / 5 / others.length);
  return [
    { partnerId: giant, orders: orders - each * others.length },
    ...others.map((partnerId) => ({ partnerId, orders: each })),
  ];
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
