/** The checker finds each of nine mutants of the product under real load, and nothing without a mutant. */
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { startWithClock } from "../faults/start_with_clock.ts";
import { openWorld, type World } from "../faults/world.ts";
import { crash } from "../faults/postgresql_processes.ts";
import { Caller, idOf } from "../support/history/caller.ts";
import { check, describeViolation, type Violation } from "../support/history/checker.ts";
import type { Call } from "../support/history/history.ts";
import { settle } from "../support/history/settle.ts";
import { readSnapshot, type Snapshot } from "../support/history/snapshot.ts";
import { watchBooks } from "../support/history/watch_books.ts";
import { startWorkload } from "../support/history/workload.ts";
import { until } from "../support/until.ts";
import { MUTANTS, mutate } from "./mutants.ts";

let world: World;
/** Partners of the service without a mutant. */
let honest: readonly Caller[];

before(async () => {
  // The log writer is slow, so that an asynchronous commit is not on the disk when the server crashes.
  world = await openWorld({ postgresql: { wal_writer_delay: "10s" } });
});
after(() => world?.close());

const callsOf = (callers: readonly Caller[]): Call[] =>
  world.history.calls.filter(({ partner }) =>
    callers.some(({ partnerId }) => partnerId === partner)
  );
const tablesOf = (callers: readonly Caller[]): Promise<Snapshot> =>
  readSnapshot(world.database.sql, callers.map(({ partnerId }) => partnerId));
const judge = async (callers: readonly Caller[]): Promise<Violation[]> =>
  check(callsOf(callers), await tablesOf(callers));

/** Runs a load of new partners, optionally with a crash of the database, and checks the result. */
async function run(seed: number, withCrash: boolean) {
  const { history } = world;
  const rich = await world.admitRich(2);
  const poor = await world.admit();
  const callers = [...rich, poor];
  const began = history.calls.length;
  const watch = watchBooks([world], 100);
  const operations = began + 900;
  const load = { history, callers: rich, poor, seed, workers: 10, operations, hasty: 40 };
  const workload = startWorkload(load);
  if (withCrash) {
    await until(() => history.calls.length >= began + 450, 60_000);
    await crash(world.postgresql);
    await world.postgresql.restart();
  }
  await workload.done;
  await settle(history, callers, withCrash ? 30_000 : 2_000);
  for (const caller of callers) caller.close();
  const inBetween = (await watch.stop())
    .filter(({ partner }) => callers.some(({ partnerId }) => partnerId === partner))
    .map((finding) => ({ ...finding, calls: [] }));
  return { callers, found: [...await judge(callers), ...inBetween] };
}

/** How many rows of each table are falsified. */
const ROWS = 5;
/** The number of loads after which a mutant counts as missed. */
const MOST_RUNS = 4;

/** Matches the text of at least one finding of each mutant. */
const FOUND_AS: Readonly<Record<string, RegExp>> = {
  "a refused request does not spend its nonce": /^I7 .*passed more than once/,
  "keys of orders are ignored in batches of more than eight":
    /^I5 .*refused with quote_already_used/,
  // Within a partition a constraint holds, so that the call fails.
  "an order's nonce is fresh again under another timestamp":
    /^(I7 .*passed more than once|I12 .*500)/,
  "the key is looked up before the lock": /^I5 .*(made under|made twice|answered in two ways)/,
  "the balance is checked outside of the transaction that takes it": /^I2 /,
  "the answer goes out before the commit is on the disk": /^I6 .*is lost/,
  "the event is written outside of the order's transaction": /^I4 .*0 events/,
  "another partner's result under the same key is replayed": /^I8 /,
};

test("no violation is found without a mutant, despite a crash of the database under load", async () => {
  const { callers, found } = await run(1, true);
  honest = callers;
  assertEquals(found.map(describeViolation), []);
});

test("the checker finds a changed, deleted or duplicated row of any table", async () => {
  const calls = callsOf(honest);
  const tables = await tablesOf(honest);
  const missed: string[] = [];
  const isFound = (table: keyof Snapshot, rows: readonly object[]) =>
    check(calls, { ...tables, [table]: rows }).length > 0;
  // Finding one of several rows is enough: a row without an acknowledgement may rightly be missing.
  const look = (what: string, table: keyof Snapshot, changed: (at: number) => object[]) => {
    const places = Array.from(
      { length: ROWS },
      (_, n) => Math.floor(tables[table].length * n / ROWS),
    );
    if (!places.some((at) => isFound(table, changed(at)))) missed.push(what);
  };
  for (const [name, rows] of Object.entries(tables)) {
    const table = name as keyof Snapshot;
    look(`${table} without a row`, table, (at) => rows.toSpliced(at, 1));
    look(`${table} with a row twice`, table, (at) => rows.toSpliced(at, 0, rows[at]!));
    for (const column of Object.keys(rows[0]!)) {
      // Only the receiver of an event can notice a changed event id.
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
  test(`the checker finds that ${mutant.name}`, async (t) => {
    const restore = await mutate(world.database.sql, mutant);
    try {
      const found: Violation[] = [];
      const isExpected = ({ invariant, what }: Violation) =>
        FOUND_AS[mutant.name]!.test(`${invariant} ${what}`);
      // Whether a load reveals the mutant depends on random choices and on how calls interleave.
      for (let n = 0; n < MOST_RUNS && !found.some(isExpected); n++) {
        found.push(...(await run(2 + index + 100 * n, mutant.name.includes("disk"))).found);
      }
      const first = found.find(isExpected);
      const others = found.slice(0, 10).map(({ invariant, what }) => `${invariant} ${what}`);
      assert(first !== undefined, `${found.length} findings: ${others.join("\n")}`);
      t.diagnostic(`${found.length} findings; ${describeViolation(first)}`);
    } finally {
      await restore();
    }
  });
}

test("the checker finds an instance that uses its own clock for the quote's expiry", async () => {
  const short = {
    name: "quotes end after a second",
    functions: { make_priced_quotes: [["interval '60 seconds'", "interval '1 second'"]] as const },
  };
  const restore = await mutate(world.database.sql, short);
  // The clock is only slightly off, so that partners' certificates are already valid.
  const wrongClock = await startWithClock(world, () => Date.now() - 5_000);
  try {
    const [bank] = await world.admitRich(1) as [Caller];
    const orderLate = async (through: Caller) => {
      const quote = await bank.write("quote", '{"side":"buy","gold_grams":1}');
      await pause(2_300);
      return (await through.write("order", `{"quote_id":"${idOf(quote)}"}`)).code;
    };
    assertEquals(await orderLate(bank), "quote_expired");
    assertEquals(tooLate(await judge([bank])), []);

    const astray = new Caller(bank.partner, [wrongClock.port], { history: world.history });
    assertEquals(await orderLate(astray), "ok");
    astray.close();
    const found = tooLate(await judge([bank]));
    assertEquals(found.map(({ calls }) => calls.map(({ kind }) => kind)), [["quote", "order"]]);
  } finally {
    await wrongClock.stop();
    await restore();
  }
});

/** Selects these findings; the shortened validity causes others, because servers compute quotes' expiry. */
const tooLate = (found: readonly Violation[]) =>
  found.filter(({ what }) => what.includes("after its quote's end"));
