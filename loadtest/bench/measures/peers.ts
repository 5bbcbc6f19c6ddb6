import {
  findFormanceLedger,
  FORMANCE_LEDGER_VERSION,
} from "../../../tools/programs/find_formance_ledger.ts";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { LoadResult } from "../loader/drive.ts";
import { type Bench, figuresTake, type Measure } from "../measure.ts";
import { besidePeers, NOT_MEASURED, type PeerFigures } from "../peers_table.ts";
import { judge } from "../ratio.ts";
import { BUSY_CONNECTIONS, runOrders } from "../run_orders.ts";
import {
  type FormanceLedger,
  orderBeyondFunds,
  type Spread,
  startFormanceLedger,
} from "../world/formance_ledger.ts";
import type { RunningService, Site } from "../world/site.ts";
import { PARTNERS } from "../world/world.ts";

const BUILD_SECONDS = 180;

export const peers: Measure = {
  name: "peers",
  asks: "How many orders a second beside another open-source ledger, and what does each promise?",
  onlyNamed: true,
  takes: (size) => BUILD_SECONDS + 60 + figuresTake(size, 5),
  async run(bench) {
    const { rounds, progress } = bench;
    const program = await findFormanceLedger(progress.say);
    const { postgresql, site } = await bench.world();
    progress.say(`Formance Ledger: making ${PARTNERS} pairs of accounts, and a ledger for each`);
    const formance = await startFormanceLedger(postgresql, program, PARTNERS);
    const server = await site.startServer();
    const before = await countOrders(site);
    try {
      const ours = keepRuns(oursRun(bench, site, server));
      const theirs = keepRuns(theirRun(bench, formance));
      const rates = {
        hot: ours.rate("hot"),
        hundred: ours.rate("hundred"),
        formanceHot: theirs.rate("hot"),
        formanceHundred: theirs.rate("hundred"),
        formanceApart: theirs.rate("apart"),
      };
      progress.say("warming up");
      for (const rate of Object.values(rates)) await rate();
      ours.forget();
      theirs.forget();
      const found = await interleave(rounds, rates, (round, name, figure) => {
        progress.say(`peers, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
      });
      const booked = {
        ours: compareBooks("Sabika", ours.succeeded(), await countOrders(site) - before),
        formance: compareBooks("Formance Ledger", theirs.succeeded(), await formance.booked()),
      };
      const answers = await provoke(formance);
      bench.note(besidePeers([
        {
          ...{ name: "Sabika", ...ours.figures(), booked: booked.ours, signed: "yes" },
          durable: "yes",
          repeat: "201, the same answer",
          beyondFunds: "422 insufficient_funds",
        },
        {
          ...{ name: `Formance Ledger ${FORMANCE_LEDGER_VERSION}`, ...theirs.figures() },
          ...{ booked: booked.formance, signed: "no", ...answers },
          // It commits before it answers, in the same server with the same settings.
          durable: "yes",
        },
      ]));
      bench.note(NOT_MEASURED);
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

type Run = (spread: Spread) => Promise<LoadResult>;

function oursRun(bench: Bench, site: Site, server: RunningService): Run {
  return (spread) =>
    runOrders(bench, site, server, spread === "hot" ? 1 : PARTNERS, BUSY_CONNECTIONS);
}

/** As many orders are made ahead as its last run of this spread asks for. */
function theirRun(bench: Bench, formance: FormanceLedger): Run {
  const lastRates = new Map<Spread, number>();
  return async (spread) => {
    const count = Math.ceil((lastRates.get(spread) ?? 3_000) * bench.seconds * 1.5) + 1000;
    const result = await bench.loader.run({
      ...{ target: formance.target, baseUrl: formance.baseUrl, connections: BUSY_CONNECTIONS },
      ...{ seconds: bench.seconds, lanes: [], posts: formance.orders(spread, count) },
      expected: [200],
    });
    lastRates.set(spread, result.perSecond);
    return result;
  };
}

/** Keeps what the runs of one service found, and counts what it answered in all of them. */
function keepRuns(run: Run) {
  const kept: Record<Spread, LoadResult[]> = { hot: [], hundred: [], apart: [] };
  let succeeded = 0;
  return {
    rate: (spread: Spread) => async () => {
      const result = await run(spread);
      kept[spread].push(result);
      succeeded += result.succeeded;
      return result.perSecond;
    },
    /** The warming up is over. */
    forget: () => Object.values(kept).forEach((runs) => runs.length = 0),
    succeeded: () => succeeded,
    figures: (): Pick<PeerFigures, Spread> => kept,
  };
}

/**
 * What was answered and what is booked, in words.
 *
 * @throws Error when they differ: then its rate is none
 */
function compareBooks(name: string, answered: number, booked: number): string {
  if (answered === booked) return `${booked} of ${answered}`;
  throw new Error(`${name} answered ${answered} orders and has ${booked} in its books`);
}

async function countOrders({ database }: Site): Promise<number> {
  const [row] = await database.sql<{ orders: number }[]>`
    select count(*)::int as orders from orders`;
  return row!.orders;
}

/** What it answers to an order's repeat, and to one beyond what is there. */
async function provoke(formance: FormanceLedger) {
  const [repeated] = formance.orders("hot", 1);
  await formance.post(repeated!);
  const words = ({ status, body }: { status: number; body: string }) => {
    const { error_code: code } = JSON.parse(body) as { error_code?: string };
    return code === undefined ? String(status) : `${status} ${code}`;
  };
  return {
    repeat: words(await formance.post(repeated!)),
    beyondFunds: words(await formance.post(orderBeyondFunds("beyond"))),
  };
}
