/** Fault F69: a flood of one partner does not hold up another. */
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openTestDatabase } from "../test/support/test_database.ts";
import { openTestTrading, value } from "../test/support/test_market.ts";
import { admitTestPartner } from "../test/support/test_partner.ts";

const FLOOD = 800;
/** The largest batch: `maxBatch` of the executor. */
const BATCH = 64;

test("an order behind another partner's flood is in one of the next two batches", async (t) => {
  const { database, close } = await openTestDatabase({ maxConnections: 4 });
  t.after(() => close());
  const trading = await openTestTrading({ database }, 4_850_000n);
  const admit = () =>
    admitTestPartner(database, {
      cashHalalas: 1_000_000_000_000n,
      settings: { openQuotesLimit: 1_000_000 },
    });
  const [flooding, calm] = [await admit(), await admit()];
  const quoteFor = async (partner: typeof calm) => value(await trading.quote(partner.quote())).id;
  const quotes = await Promise.all(Array.from({ length: FLOOD }, () => quoteFor(flooding)));
  const calmQuote = await quoteFor(calm);

  let doneOfFlood = 0;
  const flood = quotes.map(async (quoteId) => {
    const outcome = await trading.order(flooding.order(quoteId));
    doneOfFlood++;
    return outcome.ok;
  });
  assertEquals(doneOfFlood, 0);
  const behind = await trading.order(calm.order(calmQuote));
  assert(behind.ok);
  // One batch may have been in flight, and the batch of the calm order has other orders too.
  assert(doneOfFlood <= 2 * BATCH, `${doneOfFlood} of the flood were done before it`);
  assertEquals((await Promise.all(flood)).filter((good) => !good), []);
});

test("a flood beyond the limit of waiting orders is refused only to the flooding partner", async (t) => {
  const { database, close } = await openTestDatabase({ maxConnections: 4 });
  t.after(() => close());
  const trading = await openTestTrading({ database }, 4_850_000n);
  const [flooding, calm] = [await admitTestPartner(database), await admitTestPartner(database)];
  const flood = Array.from({ length: 3_000 }, () => trading.fund(flooding.fund(10_000n)));
  const behind = await trading.fund(calm.fund(10_000n));
  assertEquals(behind.ok, true);
  const outcomes = await Promise.all(flood);
  const refused = outcomes.flatMap((outcome) => outcome.ok ? [] : [outcome.code]);
  assert(refused.length > 0);
  assertEquals(new Set(refused), new Set(["service_unavailable"]));
  // Refused orders were not executed: the balance is that after the others.
  const [row] = await database.sql<{ cash: bigint }[]>`
      select cash_halalas as cash from accounts where partner_id = ${flooding.partnerId}`;
  assertEquals(row!.cash, BigInt(outcomes.length - refused.length) * 10_000n);
});
