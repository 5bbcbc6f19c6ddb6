import { type Database, openDatabase } from "@sabika/database";
import { actsOn } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { holdLock } from "../../../test/support/hold_lock.ts";
import { sized } from "../../../test/support/sized.ts";
import { until } from "../../../test/support/until.ts";
import { openTestMarket, value } from "../../../test/support/test_market.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { untilWaiting } from "../../../test/support/until_waiting.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { createTrading } from "./create_trading.ts";
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type IdempotentOutcome, ORDER } from "@sabika/protocol";

// Two instances on one PostgreSQL; the faults are those of docs/faults.md.
const { database, app, url, urlAs, prices, reading, close } = await openTestMarket();
const act = actsOn(database);
const other = openDatabase(urlAs("sabika_app"), { maxConnections: 4 });
const instances = [app, other].map((instance) =>
  createTrading({ database: instance, prices, random, now: Date.now })
);
const [trading] = instances as [typeof instances[0], typeof instances[0]];
after(async () => {
  await other.close();
  await close();
});

/** How often each outcome came: `{executed: 1, quote_already_used: 199}`. */
function tally<T>(outcomes: IdempotentOutcome<T>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const name = !outcome.ok ? outcome.code : outcome.replayed ? "replayed" : "executed";
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const range = (n: number) => Array.from({ length: n }, (_, index) => index);
const quoteOf = async (bank: TestPartner, request = {}) =>
  value(await trading.quote(bank.quote(request)));

const holdAccounts = (from: Database, { partnerId }: TestPartner) =>
  holdLock(
    from,
    (sql) => sql`select 1 from accounts where partner_id = ${partnerId}::integer for update`,
  );

/** Orders at once in F01 and F02. */
const AT_ONCE = sized(200, 1_000);

test("of orders on one quote with different keys over two instances one executes (F01)", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
  const quote = await quoteOf(bank);
  const outcomes = await Promise.all(
    range(AT_ONCE).map((n) => instances[n % 2]!.order(bank.order(quote.id))),
  );
  assertEquals(tally(outcomes), { executed: 1, quote_already_used: AT_ONCE - 1 });
  assertEquals(await reconcile(database, bank), []);
});

test("of orders with one key over two instances one executes, and the rest replay it (F02)", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
  const command = bank.order((await quoteOf(bank)).id);
  const outcomes = await Promise.all(
    range(AT_ONCE).map((n) =>
      instances[n % 2]!.order({ ...command, nonce: bank.order("qt_").nonce })
    ),
  );
  assertEquals(tally(outcomes), { executed: 1, replayed: AT_ONCE - 1 });
  assertEquals(new Set(outcomes.map((outcome) => ORDER.write(value(outcome)))).size, 1);
  assertEquals(await reconcile(database, bank), []);
});

test("of two orders with money for one exactly one executes, in each round (F12)", async () => {
  const bank = await admitTestPartner(database, { settings: { openQuotesLimit: 1_000_000 } });
  for (const _ of range(sized(500, 10_000))) {
    const quotes = await Promise.all([quoteOf(bank), quoteOf(bank)]);
    value(await trading.fund(bank.fund(quotes[0].totalHalalas)));
    const outcomes = await Promise.all(
      [0, 1].map((n) => instances[n]!.order(bank.order(quotes[n]!.id))),
    );
    assertEquals(tally(outcomes), { executed: 1, insufficient_funds: 1 });
  }
  assertEquals(await reconcile(database, bank), []);
});

test("of a withdrawal and an order for the same money one succeeds (F14)", async () => {
  const bank = await admitTestPartner(database, { settings: { openQuotesLimit: 10_000 } });
  for (const round of range(50)) {
    const quote = await quoteOf(bank);
    value(await trading.fund(bank.fund(quote.totalHalalas)));
    const outcomes = await Promise.all([
      instances[round % 2]!.order(bank.order(quote.id)),
      instances[(round + 1) % 2]!.withdraw(bank.withdraw(quote.totalHalalas)),
    ]);
    assertEquals(tally<unknown>(outcomes), { executed: 1, insufficient_funds: 1 });
  }
  assertEquals(await reconcile(database, bank), []);
});

test("of a cancellation and the operator's payout exactly one succeeds, 200 times (F14)", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const won = { cancelled: 0, processing: 0 };
  for (const round of range(200)) {
    const { id } = value(await trading.withdraw(bank.withdraw(100n)));
    const pay = () => act("withdrawal.processing", { withdrawal: id });
    const cancel = () => trading.cancelWithdrawal(bank.cancel(id));
    // Who starts first changes, so that both come first.
    const first = round % 2 === 0 ? [cancel(), pay()] as const : [pay(), cancel()] as const;
    const [one, two] = await Promise.all(first);
    const refusals = [one, two].flatMap((outcome) => outcome.ok ? [] : [outcome.code]);
    const paid = refusals[0] === "withdrawal_not_cancellable";
    assertEquals(refusals, [paid ? "withdrawal_not_cancellable" : "invalid_state"]);
    won[paid ? "processing" : "cancelled"]++;
  }
  assertEquals(won.cancelled + won.processing, 200);
  const { sarHalalas } = await reading.balances(bank);
  assertEquals(sarHalalas, 1_000_000n - 100n * BigInt(won.processing));
  const counted = await database.sql<{ type: string; n: number }[]>`
    select type, count(*)::integer as n from events where partner_id = ${bank.partnerId}
    group by type order by type`;
  assertEquals(counted.find(({ type }) => type === "withdrawal.cancelled")?.n ?? 0, won.cancelled);
  assertEquals(await reconcile(database, bank), []);
});

test("orders of several partners on two instances never deadlock, and every snapshot balances (F13)", async () => {
  const banks = await Promise.all(
    range(8).map(() =>
      admitTestPartner(database, {
        cashHalalas: 50_000_000n,
        goldMicrograms: 500_000_000n,
        settings: { openQuotesLimit: 10_000 },
      })
    ),
  );
  const deadlocksBefore = await deadlocks();
  let running = true;
  const snapshots = (async () => {
    let taken = 0;
    for (; running; taken++) assertEquals(await reconcile(database), []);
    return taken;
  })();
  const outcomes = await Promise.all(
    range(32).map(async (worker) => {
      const instance = instances[worker % 2]!;
      const done: IdempotentOutcome<unknown>[] = [];
      for (const step of range(12)) {
        const bank = banks[(worker * 5 + step * 3) % banks.length]!;
        const side = (worker + step) % 2 === 0 ? "buy" as const : "sell" as const;
        const quote = value(await instance.quote(bank.quote({ side })));
        done.push(await instance.order(bank.order(quote.id)));
        if (step % 3 === 0) done.push(await instance.withdraw(bank.withdraw(10_000n)));
      }
      return done;
    }),
  );
  running = false;
  assert(await snapshots > 0);
  assertEquals(tally(outcomes.flat()), { executed: 32 * 16 });
  assertEquals(await deadlocks(), deadlocksBefore);

  async function deadlocks(): Promise<bigint> {
    const [row] = await database.sql<{ deadlocks: bigint }[]>`
      select deadlocks from pg_stat_database where datname = current_database()`;
    return row!.deadlocks;
  }
});

test("an order is in time or late by its receipt, however long it waits for a lock (F16)", async () => {
  const bank = await admitTestPartner(database, {
    cashHalalas: 1_000_000_000n,
    settings: { openQuotesLimit: 10_000 },
  });
  const quotes = await Promise.all(range(sized(300, 1_000)).map(() => quoteOf(bank)));
  // Their end is behind us, as if the lock had been held from the 59th second to the 62nd.
  const past = Date.now() - 2_000;
  await byForce(
    database,
    `update quotes set expires_at = '${new Date(past).toISOString()}'
     where partner_id = ${bank.partnerId}`,
  );
  const release = await holdAccounts(database, bank);
  const offsets = [-100, -1, 0, 1, 100];
  const outcomes = quotes.map((quote, n) =>
    instances[n % 2]!.order(bank.order(quote.id, { receivedAtMs: past + offsets[n % 5]! }))
  );
  await untilWaiting(database);
  await release();
  const results = (await Promise.all(outcomes)).map((outcome) =>
    outcome.ok ? "executed" : outcome.code
  );
  const expected = quotes.map((_, n) => offsets[n % 5]! < 0 ? "executed" : "quote_expired");
  assertEquals(results, expected);
});

test("of one nonce under timestamps in two partitions one passes (F31)", async () => {
  const { partnerId } = await admitTestPartner(database);
  const border = Math.ceil(Date.now() / 21_600_000) * 21_600;
  for (const round of range(50)) {
    const value = `border-${round}-${crypto.randomUUID()}`;
    const passed = await Promise.all(
      range(6).map((n) =>
        instances[n % 2]!.spendNonce({ partnerId, value, timestampSeconds: border - 3 + n })
      ),
    );
    assertEquals(passed.filter((isFresh) => isFresh).length, 1);
  }
});

test("a missing partition is made, also by two instances at once", async () => {
  const { partnerId } = await admitTestPartner(database);
  for (const round of range(10)) {
    const timestampSeconds = 100 * 21_600 + round * 21_600;
    const spend = (n: number) =>
      instances[n % 2]!.spendNonce({ partnerId, value: crypto.randomUUID(), timestampSeconds });
    assertEquals(await Promise.all(range(4).map(spend)), [true, true, true, true]);
  }
});

test("who finds a new partition waits for its maker once, as others learn of a commit after it is visible", async () => {
  const { partnerId } = await admitTestPartner(database);
  const timestampSeconds = 200 * 21_600;
  const single = openDatabase(urlAs("sabika_app"), { maxConnections: 1 });
  const { spendNonce } = createTrading({ database: single, prices, random, now: Date.now });
  const spend = () => spendNonce({ partnerId, value: crypto.randomUUID(), timestampSeconds });
  await database.sql`select ensure_nonce_partition(${timestampSeconds}::bigint)`;
  // The maker's lock, as between its commit and the moment when it has told the others.
  const hold = () =>
    holdLock(
      database,
      (sql) => sql`select pg_advisory_xact_lock(7305, hashtext(${`nonces_${timestampSeconds}`}))`,
    );
  const release = await hold();
  const spent = spend();
  await until(async () => {
    const waiting = await database.sql`
      select from pg_locks where locktype = 'advisory' and classid = 7305 and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    return waiting.length > 0;
  });
  await release();
  assertEquals(await spent, true);
  const releaseAgain = await hold();
  assertEquals(await spend(), true);
  await releaseAgain();
  await single.close();
});

test("sessions that are killed at random lose and duplicate no order (F07)", async () => {
  const bank = await admitTestPartner(database, {
    cashHalalas: 10_000_000_000n,
    settings: { openQuotesLimit: 100_000 },
  });
  const quotes = await Promise.all(range(120).map(() => quoteOf(bank)));
  const killer = openDatabase(url, { maxConnections: 1, applicationName: "killer" });
  // Orders may be faster than the killer: the first of them wait until it has found one.
  const holder = openDatabase(url, { maxConnections: 1, applicationName: "holder" });
  const release = await holdAccounts(holder, bank);
  // Twelve batches have seven attempts each, and a death costs one at most: not all batches can fail.
  let deaths = 60;
  let running = true;
  const killing = (async () => {
    while (running && deaths > 0) {
      deaths -= (await killer.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'sabika' and state = 'active'
        order by random() limit 1`).length;
      if (deaths < 60) void release();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  })();
  const commands = quotes.map((quote) => bank.order(quote.id));
  const outcomes: Awaited<ReturnType<typeof trading.order>>[] = [];
  while (outcomes.length < commands.length) {
    const wave = commands.slice(outcomes.length, outcomes.length + 20);
    outcomes.push(...await Promise.all(wave.map((command, n) => instances[n % 2]!.order(command))));
  }
  running = false;
  await killing;
  await release();
  await Promise.all([killer.close(), holder.close()]);
  assert(deaths < 60, "no session was killed");
  for (const [n, outcome] of outcomes.entries()) {
    const again = await trading.order({ ...commands[n]!, nonce: bank.order("qt_").nonce });
    const order = value(again);
    if (outcome.ok) assertEquals(ORDER.write(order), ORDER.write(outcome.value));
    else assertEquals(outcome.code, "outcome_unknown");
  }
  assert(outcomes.some((outcome) => outcome.ok));
  assertEquals(await reconcile(database, bank), []);
});
