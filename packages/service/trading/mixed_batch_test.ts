import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { formatId, type IdempotentOutcome, type Order, uuidV7 } from "@sabika/protocol";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { admitTestPartner, random } from "../../../test/support/test_partner.ts";
import { createFixedPrice } from "../prices/fixed.ts";
import { createTrading } from "./create_trading.ts";

const { database, app, close } = await openTestDatabase();
const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
const batches: number[] = [];
const trading = createTrading({
  database: app,
  prices,
  random,
  now: Date.now,
  observe: { batch: (_kind, size) => void batches.push(size) },
});
after(close);

const codeOf = (outcome: IdempotentOutcome<Order>) => outcome.ok ? "executed" : outcome.code;

// A quote of its own for each, as orders of one quote never share a batch.
const unknownQuote = () => formatId("qt", uuidV7(Date.now(), random));

async function quoteOf(bank: Awaited<ReturnType<typeof admitTestPartner>>) {
  const outcome = await trading.quote(bank.quote());
  assert(outcome.ok);
  return outcome.value;
}

test("a batch that is refused in part, first or last, is carried out as one", async () => {
  const rich = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const poor = await admitTestPartner(database, { cashHalalas: 50_000n });
  for (
    const pattern of [
      [false, true, true],
      [true, false, true],
      [false, false, true],
      [true, true, false],
      [false, false, false],
    ]
  ) {
    const orders = [];
    for (const good of pattern) {
      orders.push(rich.order(good ? (await quoteOf(rich)).id : unknownQuote()));
    }
    batches.length = 0;
    const outcomes = await Promise.all(orders.map((order) => trading.order(order)));
    assertEquals(
      outcomes.map(codeOf),
      pattern.map((good) => good ? "executed" : "quote_not_found"),
    );
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
  assertEquals(outcomes.map(codeOf), [
    "executed",
    "insufficient_funds",
    "executed",
    "insufficient_funds",
  ]);
  assertEquals(batches, [4]);
  for (const outcome of [outcomes[1]!, outcomes[3]!]) {
    assert(!outcome.ok);
    assertEquals(outcome.meta?.["available"], { decimal: "96.99" });
  }
});

test("a batch of which nothing is booked returns each item's own reason, once", async () => {
  const poor = await admitTestPartner(database, { cashHalalas: 1_00n });
  const quotes = [await quoteOf(poor), await quoteOf(poor)];
  batches.length = 0;
  const outcomes = await Promise.all([
    trading.order(poor.order(unknownQuote())),
    ...quotes.map((quote) => trading.order(poor.order(quote.id))),
  ]);
  assertEquals(outcomes.map(codeOf), [
    "quote_not_found",
    "insufficient_funds",
    "insufficient_funds",
  ]);
  assertEquals(batches, [3]);
});

test("a batch of quotes that is refused or replayed in part counts each partner's own", async () => {
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
