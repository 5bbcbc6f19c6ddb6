import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { formatId, uuidV7 } from "@sabika/protocol";
import { codeOf, openTestMarket, value } from "../../../test/support/test_market.ts";
import { random } from "../../../test/support/random.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { reconcile } from "../ledger/reconcile.ts";

const { database, trading, batches, close } = await openTestMarket();
after(close);

// A quote for each order, because orders of one quote never share a batch.
const unknownQuote = () => formatId("qt", uuidV7(Date.now(), random));

const quoteOf = async (bank: TestPartner) => value(await trading.quote(bank.quote()));

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
    batches.length = 0;
    const outcomes = await Promise.all(orders.map((order) => trading.order(order)));
    assertEquals(outcomes.map(codeOf), pattern.map((good) => good ? "ok" : "quote_not_found"));
    assertEquals(batches, [pattern.length]);
  }

  // Refusals that show a balance, among orders of another partner.
  const orders = [
    poor.order((await quoteOf(poor)).id),
    poor.order((await quoteOf(poor)).id),
    rich.order((await quoteOf(rich)).id),
    poor.order((await quoteOf(poor)).id),
  ];
  batches.length = 0;
  const outcomes = await Promise.all(orders.map((order) => trading.order(order)));
  const refused = outcomes.map((outcome) => outcome.ok || [outcome.code, outcome.meta?.available]);
  const short = ["insufficient_funds", { decimal: "36.53" }];
  assertEquals(refused, [true, short, true, short]);
  assertEquals(batches, [4]);
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
    orders.push(bank.order(value(await trading.quote(bank.quote({ side }))).id));
  }
  batches.length = 0;
  const outcomes = await Promise.all(orders.map((order) => trading.order(order)));
  assertEquals(batches, [5]);
  const none = "inventory_unavailable";
  assertEquals(outcomes.map(codeOf), ["ok", none, "ok", "ok", none]);
});

test("nonces of a batch may be of several partitions, which are made if they are missing", async () => {
  const bank = await admitTestPartner(database);
  const orders = [303, 301, 302, 301].map((partition) => {
    const order = bank.order(unknownQuote());
    const timestampSeconds = partition * 21_600 + 21_599;
    return { ...order, nonce: { ...order.nonce, timestampSeconds } };
  });
  batches.length = 0;
  const outcomes = await Promise.all(orders.map((order) => trading.order(order)));
  assertEquals(batches, [4]);
  assertEquals(outcomes.map(codeOf), Array(4).fill("quote_not_found"));
  assertEquals(
    [
      ...await database.sql`select timestamp_seconds::integer as at from nonces
      where partner_id = ${bank.partnerId}::integer order by 1`,
    ].map(({ at }) => at),
    [301, 301, 302, 303].map((partition) => partition * 21_600 + 21_599),
  );
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
