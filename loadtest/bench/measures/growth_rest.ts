import { reconcileSince } from "@sabika/core/ledger";
import type { Database } from "@sabika/core/store";
import { createReading } from "@sabika/core/trading";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Bench } from "../measure.ts";
import { judge, type Ratio } from "../ratio.ts";
import { runOrders } from "../run_orders.ts";
import { percentile } from "../statistics.ts";
import type { BenchPartner } from "../world/partners.ts";
import { readStatement } from "../world/read_statement.ts";
import type { RunningService, Site } from "../world/site.ts";

/** A server is ready within this, whatever is stored. */
const READY_SECONDS = 3;
const PAGE = 100;
const READS = 100;
const DAY_MS = 86_400_000;
const RIYADH_OFFSET_MS = 3 * 3_600_000;

/** A database with its server and the partner that is looked at: one without a past, and one with. */
export interface Side {
  site: Site;
  server: RunningService;
  partner: BenchPartner;
  /** The day whose statement is read, in days before today. */
  daysAgo: number;
}

/** What is to cost what is new, and not what there is: recounting, starting, lists and statements. */
export async function measureRest(bench: Bench, young: Side, grown: Side): Promise<Ratio[]> {
  const recounts = await measureRecounts(bench, young, grown);
  const starts = await measureStarts(bench, grown);
  const { rounds, progress } = bench;
  const rises: number[] = [];
  const found = await interleave(rounds, {
    youngLists: () => pageMs(young),
    grownLists: () => pageMs(grown),
    youngStatement: () => statementMicroseconds(young, rises),
    grownStatement: () => statementMicroseconds(grown, rises),
  }, (round, name, figure) => {
    const unit = name.endsWith("Lists") ? "ms, p99 of a page" : "µs a kilobyte";
    progress.say(`growth, round ${round + 1}: ${name} ${figure.toFixed(2)} ${unit}`);
  });
  const most = Math.max(...rises) / 2 ** 20;
  bench.note(`A server's memory rose by ${most.toFixed(0)} MB at most while it wrote a statement.`);
  return [
    judge(GOALS.grownStart, starts, Array<number>(starts.length).fill(READY_SECONDS)),
    judge(GOALS.grownRecount, recounts.grown, recounts.young),
    judge(GOALS.grownLists, found.grownLists, found.youngLists),
    judge(GOALS.grownStatement, found.grownStatement, found.youngStatement),
  ];
}

/** Seconds of a recount of what came since the last whole one, after as many orders on both sides. */
async function measureRecounts(bench: Bench, young: Side, grown: Side) {
  for (const { site, server, partner } of [young, grown]) {
    // As a whole recount would that found nothing.
    await site.database.sql`select keep_recount()`;
    await runOrders(bench, site, server, [partner]);
  }
  const found = await interleave(bench.rounds, {
    young: () => recountSeconds(young.site.database),
    grown: () => recountSeconds(grown.site.database),
  }, (round, name, seconds) => {
    bench.progress.say(`growth, round ${round + 1}: reconcile, ${name} ${seconds.toFixed(2)} s`);
  });
  return found;
}

async function recountSeconds(database: Database): Promise<number> {
  const startMs = performance.now();
  const { differences } = await reconcileSince(database, { whole: false });
  const wrong = differences.find(({ check, subject }) => !isOfTheBench(check, subject));
  if (wrong !== undefined) {
    throw new Error(`the books do not agree: ${wrong.check} of ${wrong.subject}`);
  }
  return (performance.now() - startMs) / 1000;
}

/** The bench itself leaves quotes without a key, and gives gold that is in no vault. */
function isOfTheBench(check: string, subject: string): boolean {
  return check === "vault" || (check === "keys" && subject.startsWith("quote "));
}

/** Seconds until another server on the database is healthy, whose balances nobody has counted yet. */
async function measureStarts({ rounds, progress }: Bench, { site }: Side): Promise<number[]> {
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await site.database.sql`delete from balance_checkpoints`;
    const startMs = performance.now();
    const server = await site.startServer();
    starts.push((performance.now() - startMs) / 1000);
    progress.say(
      `growth, round ${round + 1}: a server is ready after ${starts.at(-1)!.toFixed(2)} s`,
    );
    await server.stop();
  }
  return starts;
}

/** The p99 of a page, over all lists that grow with trade. */
async function pageMs({ site, partner: { partnerId } }: Side): Promise<number> {
  const reading = createReading({ ...READING, database: site.database });
  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    for (
      const list of [
        ...[reading.listOrders, reading.listQuotes, reading.listEvents],
        reading.listLedgerEntries,
      ]
    ) {
      const startMs = performance.now();
      if (!(await list({ partnerId, limit: PAGE })).ok) throw new Error("a page was refused");
      times.push(performance.now() - startMs);
    }
  }
  return percentile(times, 0.99);
}

const READING = { environment: "sandbox", now: Date.now } as const;

/** The time of a day's statement over HTTP, for each kilobyte of it. */
async function statementMicroseconds(side: Side, rises: number[]): Promise<number> {
  const at = Date.now() - side.daysAgo * DAY_MS + RIYADH_OFFSET_MS;
  const day = new Date(at).toISOString().slice(0, 10);
  const { milliseconds, bytes, rise } = await readStatement(side.site, side.server, {
    ...side,
    day,
  });
  rises.push(rise);
  return milliseconds * 1e6 / bytes;
}
