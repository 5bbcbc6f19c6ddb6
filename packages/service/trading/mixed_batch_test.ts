import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { AnySql, Database } from "@sabika/database";
import { formatId, uuidV7 } from "@sabika/protocol";
import { codeOf, openTestMarket, value } from "../../../test/support/test_market.ts";
import { random } from "../../../test/support/random.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import type { OrderCommand } from "../batches/commands.ts";
import { orderItem, orderWork } from "../orders/place_orders.ts";
import { reconcile } from "../ledger/reconcile.ts";

const { database, app, trading, batches, close } = await openTestMarket();
after(close);

// One call of the database: an executor would try the items of a batch that fails one by one.
const place = (orders: readonly OrderCommand[], sql: AnySql = app.sql) =>
  orderWork({ ...app, sql } as Database, Date.now).run(
    orders.map((order) => orderItem(order, random)),
    false,
  );

// A quote for each order, because orders of one quote never share a batch.
const unknownQuote = () => formatId("qt", uuidV7(Date.now(), random));

const quoteOf = async (bank: TestPartner, side: "buy" | "sell" = "buy") =>
  value(await trading.quote(bank.quote({ side })));

test("a batch with refused items, first or last, is executed as a whole", async () => {
  // With VAT, which the loop over the batch sums for each partner.
  const settings = { vatPpm: 150_000n };
  const rich = await admitTestPartner(database, { cashHalalas: 1_000_000n, settings });
  const poor = await admitTestPartner(database, { cashHalalas: 50_000n, settings });
  for (const kept of ["001", "011", "101", "110", "000"]) {
    const pattern = [...kept].map((digit) => digit === "1");
    const orders = [];
    for (const good of pattern) {
      orders.push(rich.order(good ? (await quoteOf(rich)).id : unknownQuote()));
    }
    const outcomes = await place(orders);
    assertEquals(outcomes.map(codeOf), pattern.map((good) => good ? "ok" : "quote_not_found"));
  }

  // Refusals that show a balance, among orders of other partners, one of whom owes no VAT.
  const untaxed = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const orders = [
    poor.order((await quoteOf(poor)).id),
    poor.order((await quoteOf(poor)).id),
    rich.order((await quoteOf(rich)).id),
    poor.order((await quoteOf(poor)).id),
    untaxed.order((await quoteOf(untaxed)).id),
  ];
  const refused = (await place(orders)).map((outcome) =>
    outcome.ok || [outcome.code, outcome.meta?.available]
  );
  const short = ["insufficient_funds", { decimal: "36.53" }];
  assertEquals(refused, [true, short, true, short, true]);
  assertEquals(await reconcile(database), []);
});

test("orders of a batch have what those before them left of the gold allocated to a partner", async () => {
  const grams = 1_000_000n;
  const bank = await admitTestPartner(database, {
    cashHalalas: 1_000_000n,
    goldMicrograms: grams,
    allocationMicrograms: grams,
  });
  const orders = [];
  for (const side of ["buy", "buy", "sell", "buy", "buy"] as const) {
    orders.push(bank.order((await quoteOf(bank, side)).id));
  }
  const none = "inventory_unavailable";
  assertEquals((await place(orders)).map(codeOf), ["ok", none, "ok", "ok", none]);
  const counts = async () => {
    const [row] = await database.sql<{ open: number; keys: number; used: number }[]>`
      select open_quotes as open, last_key::integer as keys,
        (select count(*)::integer from trade_keys where partner_id = ${bank.partnerId}::integer) as used
      from accounts where partner_id = ${bank.partnerId}::integer`;
    return row;
  };
  assertEquals(await counts(), { open: 2, keys: 8, used: 8 });
  // A quote that is over counts no more, and may yet be used by an order that was in time.
  const late = await quoteOf(bank, "sell");
  await byForce(
    database,
    `update accounts set open_quotes = 0 where partner_id = ${bank.partnerId}`,
  );
  assertEquals((await place([bank.order(late.id)])).map(codeOf), ["ok"]);
  assertEquals(await counts(), { open: 0, keys: 10, used: 10 });
  const [first] = [await quoteOf(bank, "sell"), await quoteOf(bank, "sell")];
  assertEquals((await place([bank.order(first!.id)])).map(codeOf), ["ok"]);
  assertEquals(await counts(), { open: 1, keys: 13, used: 13 });
});

test("nonces of a batch may be of several partitions, of which some are missing", async () => {
  const bank = await admitTestPartner(database);
  const [start, end] = [0, 21_599];
  const batchesOfPartitions = [
    [[305, end], [301, start], [302, end], [301, start]],
    // Only the last is missing, in a session that knows the first; then only the first, in one that knows the last.
    [[305, end]],
    [[305, end], [306, start]],
    [[306, start]],
    [[300, end], [306, start]],
  ] as const;
  // In one session, as a session knows the partition that it found last.
  await app.sql.begin(async (sql) => {
    for (const nonces of batchesOfPartitions) {
      const orders = nonces.map(([partition, second]) => {
        const order = bank.order(unknownQuote());
        const timestampSeconds = partition * 21_600 + second;
        return { ...order, nonce: { ...order.nonce, timestampSeconds } };
      });
      const outcomes = await place(orders, sql);
      assertEquals(outcomes.map(codeOf), orders.map(() => "quote_not_found"));
    }
  });
  const rows = await database.sql<{ at: number }[]>`
    select (timestamp_seconds / 21600)::integer as at from nonces
    where partner_id = ${bank.partnerId}::integer order by 1`;
  assertEquals(rows.map(({ at }) => at), [300, 301, 301, 302, 305, 305, 305, 306, 306, 306]);
});

test("a batch of quotes with refusals and replays counts each partner's open quotes", async () => {
  const calm = await admitTestPartner(database);
  const busy = await admitTestPartner(database, { settings: { openQuotesLimit: 2 } });
  const open = async (bank: { partnerId: number }) => {
    const [row] = await database.sql<{ n: number }[]>`
      select open_quotes as n from accounts where partner_id = ${bank.partnerId}::integer`;
    return row!.n;
  };
  const repeated = calm.quote();
  assert((await trading.quote(repeated)).ok);

  batches.length = 0;
  const outcomes = await Promise.all([
    trading.quote(repeated),
    trading.quote(busy.quote()),
    trading.quote(busy.quote()),
    trading.quote(busy.quote()),
    trading.quote(calm.quote()),
  ]);
  assertEquals(batches, [5]);
  assertEquals(outcomes.map((outcome) => outcome.ok ? outcome.replayed : outcome.code), [
    true,
    false,
    false,
    "too_many_open_quotes",
    false,
  ]);
  const refused = outcomes[3]!;
  assert(!refused.ok);
  assert(refused.retryAfterSeconds! >= 1 && refused.retryAfterSeconds! <= 60);
  assertEquals(await open(calm), 2);
  assertEquals(await open(busy), 2);
});

test("each partner of a batch is told to wait for the end of its own oldest quote", async () => {
  const admit = () => admitTestPartner(database, { settings: { openQuotesLimit: 1 } });
  const banks = [await admit(), await admit()] as const;
  for (const bank of banks) await quoteOf(bank);
  await byForce(
    database,
    `update quotes set expires_at = expires_at - interval '30 s' where partner_id = ${
      banks[0].partnerId
    }`,
  );
  batches.length = 0;
  const refused = await Promise.all(banks.map((bank) => trading.quote(bank.quote())));
  assertEquals(batches, [2]);
  const seconds = refused.map((outcome) => outcome.ok ? 0 : outcome.retryAfterSeconds!);
  assert(seconds[0]! >= 1 && seconds[0]! <= 30 && seconds[1]! > 30, `${seconds}`);
});
