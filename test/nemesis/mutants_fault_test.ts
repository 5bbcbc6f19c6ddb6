/** The checker finds each of seven mutants of the product, run under real load; an honest run has none. */
import { after, before, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { Caller } from "../faults/caller.ts";
import { type Breach, watchInvariants } from "../faults/invariants.ts";
import { crash } from "../faults/postgresql_processes.ts";
import { startWithClock } from "../faults/start_with_clock.ts";
import { openWorld, type World } from "../faults/world.ts";
import { BASE_URL } from "../support/service_requests.ts";
import { Bank } from "./bank.ts";
import { check, describeViolation, type Violation } from "./checker.ts";
import { History } from "./history.ts";
import { MUTANTS, mutate } from "./mutants.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";
import { startWorkload } from "./workload.ts";

let world: World;
const honest = new History();

before(async () => {
  // What a commit leaves to the log's writer is surely not on the disk when the power goes.
  world = await openWorld({ postgresql: { wal_writer_delay: "10s" } });
});
after(() => world?.close());

/** New partners, whose history begins here. */
async function openBanks(history: History, count = 3): Promise<Bank[]> {
  const callers: Caller[] = [];
  while (callers.length < count) callers.push(await world.admit());
  const banks = callers.map((caller) => new Bank(caller, history, BASE_URL, Date.now));
  for (const bank of banks.slice(0, -1)) {
    await bank.write({ kind: "fund", key: "first", body: '{"amount_sar":10000000}' });
  }
  return banks;
}

async function judge(history: History, banks: readonly Bank[]): Promise<Violation[]> {
  const partners = banks.map(({ caller }) => caller.partnerId);
  return check(history.calls, await readSnapshot(world.database.sql, partners));
}

/** Runs a load, with a power cut in the middle of it when asked, and judges what it left. */
async function run(
  seed: number,
  withCrash: boolean,
  history = new History(),
): Promise<Violation[]> {
  const banks = await openBanks(history);
  const watch = watchInvariants([world], 100);
  const workload = startWorkload({
    ...{ history, banks, seed, instances: 2, workers: 10, now: Date.now },
    operations: 900,
  });
  if (withCrash) {
    while (history.calls.length < 450) await new Promise((resolve) => setTimeout(resolve, 5));
    await crash(world.postgresql);
    await world.postgresql.restart();
  }
  await workload.done;
  await workload.settle(withCrash ? 30_000 : 2_000);
  for (const { caller } of banks) caller.close();
  const partners = new Set(banks.map(({ caller }) => caller.partnerId));
  const inBetween = (await watch.stop()).filter(({ partner }) => partners.has(partner ?? 0));
  return [...await judge(history, banks), ...inBetween.map(violationOf)];
}

/** What a snapshot in the middle of the load has shown. */
function violationOf({ invariant, partner, what }: Breach): Violation {
  return { invariant, partner: partner ?? 0, what, about: [], calls: [] };
}

/** How many rows of each table are tried. */
const ROWS = 5;
/** After how many loads a mutant that nothing has shown is missed. */
const MOST_RUNS = 4;

/** What each mutant is found as; one of these at least. */
const FOUND_AS: Readonly<Record<string, RegExp>> = {
  "a nonce is not spent by what is refused": /^I7 .*passed more than once/,
  "the key is looked up before the lock": /^I5 .*(made under|made twice|answered in two ways)/,
  "the balance is checked outside of the transaction that takes it": /^I2 /,
  "the answer goes out before the commit is on the disk": /^I6 .*is lost/,
  "the event is written outside of the order's transaction": /^I4 .*0 events/,
  "what another partner made under the key is replayed": /^I8 /,
};

test("an honest service is found to be one, a power cut in the middle of its load", async () => {
  assertEquals((await run(1, true, honest)).map(describeViolation), []);
});

test("found: a row of any table that is changed, taken away or there twice", async () => {
  const partners = [...new Set(honest.calls.map(({ partner }) => partner))];
  const tables = await readSnapshot(world.database.sql, partners);
  const missed: string[] = [];
  const isFound = (table: keyof Snapshot, rows: readonly object[]) =>
    check(honest.calls, { ...tables, [table]: rows }).length > 0;
  // Of several rows one: what was under way at the power cut, and had no answer, may as well not be there.
  const look = (what: string, table: keyof Snapshot, changed: (at: number) => object[]) => {
    const places = Array.from(
      { length: ROWS },
      (_, n) => Math.floor(tables[table].length * n / ROWS),
    );
    if (!places.some((at) => isFound(table, changed(at)))) missed.push(what);
  };
  for (const [name, rows] of Object.entries(tables)) {
    const table = name as keyof Snapshot;
    look(`${table} without one`, table, (at) => rows.toSpliced(at, 1));
    look(`${table} with one twice`, table, (at) => rows.toSpliced(at, 0, rows[at]!));
    for (const column of Object.keys(rows[0]!)) {
      // Another id of an event is found by whom it is delivered to.
      if (column === "event_id") continue;
      look(`${table}.${column}`, table, (at) => {
        const row = rows[at]!;
        const changed = { ...row, [column]: otherThan(row[column as keyof typeof row]) };
        return rows.toSpliced(at, 1, changed as never);
      });
    }
  }
  assertEquals(missed, []);
});

function otherThan(value: string | number | bigint | null): string | number | bigint {
  if (typeof value === "bigint") return value + 1n;
  if (typeof value === "number") return value + 1_000;
  return value === null ? "x" : `${value.slice(0, -1)}${value.endsWith("0") ? "1" : "0"}`;
}

for (const [index, mutant] of MUTANTS.entries()) {
  test(`found: ${mutant.name}`, async (t) => {
    const putBack = await mutate(world.database.sql, mutant);
    try {
      const found: Violation[] = [];
      const isIt = ({ invariant, what }: Violation) =>
        FOUND_AS[mutant.name]!.test(`${invariant} ${what}`);
      // What shows it is drawn, and met by other calls or earlier ones as the processors share out time.
      for (let n = 0; n < MOST_RUNS && !found.some(isIt); n++) {
        found.push(...await run(2 + index + 100 * n, mutant.name.includes("disk")));
      }
      const first = found.find(isIt);
      const others = found.slice(0, 10).map(({ invariant, what }) => `${invariant} ${what}`);
      assert(first !== undefined, `${found.length} findings: ${others.join("\n")}`);
      t.diagnostic(`${found.length} findings; ${describeViolation(first)}`);
    } finally {
      await putBack();
    }
  });
}

test("found: an instance that takes its own clock for the quote's end", async () => {
  const short = {
    name: "quotes end after a second",
    functions: { make_quotes: [["interval '60 seconds'", "interval '1 second'"]] as const },
  };
  const putBack = await mutate(world.database.sql, short);
  // What it admits partners by must have begun by its clock too.
  const wrong = await startWithClock(world, () => Date.now() - 5_000);
  try {
    const history = new History();
    const [bank] = await openBanks(history, 2);
    const late = async (through: Bank) => {
      const quote = await bank!.write({
        ...{ kind: "quote", key: crypto.randomUUID() },
        body: '{"side":"buy","gold_grams":1}',
      });
      await new Promise((resolve) => setTimeout(resolve, 2_300));
      const body = `{"quote_id":"${JSON.parse(quote.answer).id}"}`;
      return await through.write({ kind: "order", key: crypto.randomUUID(), body });
    };
    assertEquals((await late(bank!)).code, "quote_expired");
    assertEquals(tooLate(await judge(history, [bank!])), []);

    const { partner } = bank!.caller;
    const astray = new Bank(new Caller(partner, [wrong.port]), history, BASE_URL, Date.now);
    assertEquals((await late(astray)).code, "ok");
    astray.caller.close();
    const found = tooLate(await judge(history, [bank!]));
    assertEquals(found.map(({ calls }) => calls.map(({ kind }) => kind)), [["quote", "order"]]);
  } finally {
    await wrong.stop();
    await putBack();
  }
});

/** Servers write a quote's end into its answer themselves, so a second is found by itself too. */
const tooLate = (found: readonly Violation[]) =>
  found.filter(({ what }) => what.includes("after its quote's end"));
