/**
 * What other ledgers on PostgreSQL were seen to fail at: deadlocks between partners whose
 * orders cross, hanging when more callers come than there are connections,
 * neighbours that make everybody slow.
 */
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Database, openDatabase } from "@sabika/database";
import { createFixedPrice } from "@sabika/service/prices";
import { createTrading, type Trading } from "@sabika/service/trading";
import { openTestDatabase } from "../test/support/test_database.ts";
import { admitTestPartner, random, type TestPartner } from "../test/support/test_partner.ts";
import { fill } from "./bench/world/fill.ts";

const PLENTY = 1_000_000_000_000n;

/** One instance's trading; `connections` are its own. */
function tradingOn(database: Database): Trading {
  const prices = createFixedPrice({ midTenThousandths: 4_850_000n });
  return createTrading({ database, prices, random, now: Date.now });
}

async function admit(database: Database, count: number): Promise<TestPartner[]> {
  const partners: TestPartner[] = [];
  for (let number = 0; number < count; number++) {
    partners.push(
      await admitTestPartner(database, {
        cashHalalas: PLENTY,
        settings: { openQuotesLimit: 1_000_000 },
      }),
    );
  }
  return partners;
}

async function quoteFor(trading: Trading, partner: TestPartner): Promise<`qt_${string}`> {
  const quoted = await trading.quote(partner.quote());
  assert(quoted.ok, "a quote was refused");
  return quoted.value.id;
}

async function deadlocks(database: Database): Promise<bigint> {
  const [row] = await database.sql<{ deadlocks: bigint }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`;
  return row!.deadlocks;
}

test("orders of partners that cross each other on two instances never deadlock", async () => {
  const test = await openTestDatabase({ maxConnections: 4 });
  const other = openDatabase(test.url, { maxConnections: 4 });
  try {
    const instances = [tradingOn(test.database), tradingOn(other)];
    const partners = await admit(test.database, 12);
    for (let round = 0; round < 15; round++) {
      // Each instance meets the partners in the other's opposite order, all at once.
      const calls = instances.map(async (trading, instance) => {
        const order = instance === 0 ? partners : partners.toReversed();
        const quotes = await Promise.all(order.map((partner) => quoteFor(trading, partner)));
        return await Promise.all(
          order.map((partner, index) => trading.order(partner.order(quotes[index]!))),
        );
      });
      for (const outcomes of await Promise.all(calls)) {
        assertEquals(outcomes.filter((outcome) => !outcome.ok), []);
      }
    }
    assertEquals(await deadlocks(test.database), 0n);
  } finally {
    await other.close();
    await test.close();
  }
});

test("more callers than connections are all answered", { timeout: 60_000 }, async () => {
  const test = await openTestDatabase({ maxConnections: 1 });
  try {
    const trading = tradingOn(test.database);
    const [partner] = await admit(test.database, 1);
    const callers = Array.from({ length: 400 }, async (_, number) => {
      switch (number % 4) {
        case 0:
          return (await trading.order(partner!.order(await quoteFor(trading, partner!)))).ok;
        case 1:
          return (await trading.fund(partner!.fund(10_000n))).ok;
        case 2:
          return (await trading.withdraw(partner!.withdraw(10_000n))).ok;
        default: {
          const timestampSeconds = Math.floor(Date.now() / 1000);
          const nonce = { value: crypto.randomUUID(), timestampSeconds };
          return await trading.spendNonce({ partnerId: partner!.partnerId, ...nonce });
        }
      }
    });
    assertEquals((await Promise.all(callers)).filter((good) => !good), []);
    assertEquals(trading.queueDepth(), 0);
  } finally {
    await test.close();
  }
});

test("a neighbour with many rows adds no row to what an order reads", async () => {
  const test = await openTestDatabase({ maxConnections: 1 });
  try {
    const { sql } = test.database;
    const trading = tradingOn(test.database);
    const [partner, giant] = await admit(test.database, 2);
    const alone = await rowsRead(test.database, () => tenOrders(trading, partner!));
    const nowSeconds = Math.floor(Date.now() / 1000);
    const past = { partnerId: giant!.partnerId, orders: 20_000 };
    await fill(sql, [past], nowSeconds, () => undefined);
    const beside = await rowsRead(test.database, () => tenOrders(trading, partner!));
    assertEquals(beside.tableScans, 0n);
    // Ten orders read some rows each; a scan of the neighbour would read twenty thousand.
    const allowed = alone.rows + 200n;
    assert(beside.rows <= allowed, `${beside.rows} rows beside a neighbour, ${alone.rows} alone`);
  } finally {
    await test.close();
  }
});

test("a session that began when the tables were empty never reads all of them", async () => {
  const test = await openTestDatabase({ maxConnections: 1 });
  try {
    const { sql } = test.database;
    const trading = tradingOn(test.database);
    const [partner, giant] = await admit(test.database, 2);
    // Often enough that the session keeps its plans, made on what it knew then.
    for (let batch = 0; batch < 10; batch++) await ordersAtOnce(trading, partner!);
    const early = await rowsRead(test.database, () => ordersAtOnce(trading, partner!));
    await sql`
      insert into nonces (partner_id, timestamp_seconds, nonce_hash)
      select ${giant!.partnerId}, extract(epoch from now())::bigint,
        substr(sha256(n::text::bytea), 1, 16)
      from generate_series(1, 20000) as n`;
    const late = await rowsRead(test.database, () => ordersAtOnce(trading, partner!));
    assertEquals(late.tableScans, 0n);
    const allowed = early.rows + 200n;
    assert(late.rows <= allowed, `${late.rows} rows beside 20 000 nonces, ${early.rows} before`);
  } finally {
    await test.close();
  }
});

async function ordersAtOnce(trading: Trading, partner: TestPartner): Promise<void> {
  const quoteIds = await Promise.all(Array.from({ length: 10 }, () => quoteFor(trading, partner)));
  const outcomes = await Promise.all(quoteIds.map((id) => trading.order(partner.order(id))));
  assertEquals(outcomes.filter((outcome) => !outcome.ok), []);
}

async function tenOrders(trading: Trading, partner: TestPartner): Promise<void> {
  for (let count = 0; count < 10; count++) {
    const outcome = await trading.order(partner.order(await quoteFor(trading, partner)));
    assert(outcome.ok, "an order was refused");
  }
}

/** Rows read and whole tables scanned by a piece of work, in the tables that grow. */
async function rowsRead(
  database: Database,
  work: () => Promise<void>,
): Promise<{ rows: bigint; tableScans: bigint }> {
  const before = await readCounters(database);
  await work();
  const after = await readCounters(database);
  return { rows: after.rows - before.rows, tableScans: after.tableScans - before.tableScans };
}

async function readCounters(database: Database): Promise<{ rows: bigint; tableScans: bigint }> {
  // The counters of this very connection, written down now.
  await database.sql`select pg_stat_force_next_flush()`;
  await database.sql`select pg_stat_clear_snapshot()`;
  const [row] = await database.sql<{ rows: bigint; scans: bigint }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as rows,
      sum(seq_scan)::bigint as scans
    from pg_stat_user_tables
    where relname in ('quotes', 'orders', 'transfers', 'events', 'idempotency_keys')
      or relname like 'nonces%'`;
  return { rows: row!.rows, tableScans: row!.scans };
}
