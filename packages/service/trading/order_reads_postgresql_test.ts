import { rowsRead } from "../../../test/support/rows_read.ts";
import { openTestMarket, value } from "../../../test/support/test_market.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { openDatabase } from "@sabika/database";
import { createReading } from "./create_reading.ts";
import { createTrading } from "./create_trading.ts";
import { after, test } from "node:test";
import { assertEquals } from "@std/assert";

const { database, prices, url, close } = await openTestMarket();
after(close);
const tradingOn = (opened: typeof database) =>
  createTrading({ database: opened, prices, random, now: Date.now });

test("an order reads no others of its partner, also before the table has statistics", async () => {
  const bank = await admitTestPartner(database, {
    cashHalalas: 100_000_000n,
    settings: { openQuotesLimit: 1_000 },
  });
  const trade = async ({ quote, order }: ReturnType<typeof tradingOn>) =>
    value(await order(bank.order(value(await quote(bank.quote())).id)));
  const trading = tradingOn(database);
  await Promise.all(Array.from({ length: 100 }, () => trade(trading)));
  const { rows } = await rowsRead(database, (inside) => trade(tradingOn(inside)), ["orders"]);
  assertEquals(rows, 0);
  const others = ["quotes", "trade_keys", "nonces", "transfers", "events", "evidence"];
  const more = await rowsRead(database, (inside) => trade(tradingOn(inside)), others);
  // The quote: for its own answer, for the decision, and for the order's row.
  assertEquals(more.rows, 3);
});

test("a withdrawal reads no others, also before the table has statistics", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
  const withdraw = async ({ withdraw }: ReturnType<typeof tradingOn>) =>
    value(await withdraw(bank.withdraw(100n)));
  const trading = tradingOn(database);
  for (let n = 0; n < 30; n++) await withdraw(trading);
  const { rows } = await rowsRead(database, (inside) => withdraw(tradingOn(inside)), [
    "withdrawals",
    "events",
  ]);
  // Its own, for its evidence.
  assertEquals(rows, 1);
});

test("statements of many different numbers of orders leave one prepared statement", async (t) => {
  const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
  const { quote, order } = tradingOn(database);
  for (let n = 0; n < 12; n++) await order(bank.order(value(await quote(bank.quote())).id));
  const one = openDatabase(url, { maxConnections: 1 });
  t.after(() => one.close());
  const { statement } = createReading({ database: one, environment: "sandbox", now: Date.now });
  const day = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10);
  const read = async (entries: number) => {
    const opened = await statement({ partnerId: bank.partnerId, day });
    let orders = 0;
    for await (const page of opened!.pages(entries)) {
      orders += page.filter((entry) => entry.order !== undefined).length;
    }
    const [row] = await one.sql<{ n: number }[]>`
      select count(*)::integer as n from pg_prepared_statements`;
    return [orders, row!.n];
  };
  const first = await read(25);
  for (const entries of [2, 4, 6, 8, 10]) assertEquals(await read(entries), first);
});
