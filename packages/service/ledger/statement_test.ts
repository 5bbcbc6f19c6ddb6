import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { riyadhDayStart } from "@sabika/terms";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { openStatement } from "./statement.ts";
import { statementCsvStream, statementJsonStream } from "./statement_text.ts";

const { database, app, trading, close } = await openTestMarket();
after(close);
const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
const { partnerId } = bank;
const DAY = "2026-02-03";
const DAY_MS = 86_400_000;
const startMs = riyadhDayStart(DAY)!;
const orders = [await trade(trading, bank), await trade(trading, bank, "sell")];
await trade(trading, bank);
// 1 and 2 are the opening balance's; two orders are the day's, and one is the next day's.
await byForce(
  database,
  `update transfers set posted_at = to_timestamp(${startMs / 1000})
    + (case when number < 3 then -1 when number < 7 then 0 else 1 end) * interval '24 hours'
    where partner_id = ${partnerId}`,
);
const open = (nowMs = startMs + 3 * DAY_MS) =>
  openStatement(app.past, { partnerId, day: DAY, nowMs });

test("a statement's entries come in pages, those of orders' money with their orders", async () => {
  const statement = await open();
  assert(statement !== undefined);
  const pages = async (size?: number) => {
    const pages = [];
    for await (const page of statement.pages(size)) pages.push(page);
    return pages;
  };
  for (const lengths of [[1, 1, 1, 1], [3, 1], [4]]) {
    const size = lengths[0];
    const read = await pages(size);
    assertEquals(read.map((page) => page.length), lengths);
    assertEquals(read.flat().map(({ number }) => number), [3, 4, 5, 6]);
  }
  const [entries = []] = await pages();
  const [bought, sold] = orders.map(({ id }) => id);
  assertEquals(
    entries.map((entry) => [entry.asset, entry.sourceId, "order" in entry ? entry.order?.id : ""]),
    [["SAR", bought, bought], ["XAU", bought, ""], ["SAR", sold, sold], ["XAU", sold, ""]],
  );
});

test("a day has a statement from its first millisecond on", async () => {
  assertEquals(await open(startMs - 1), undefined);
  assertEquals([(await open(startMs))?.date, (await open(startMs))?.provisional], [DAY, true]);
});

test("no more is read of a statement that nobody reads any more", async () => {
  const statement = await open();
  assert(statement !== undefined);
  for (const streamOf of [statementJsonStream, statementCsvStream]) {
    let ended = 0;
    const stream = streamOf({
      ...statement,
      async *pages() {
        try {
          for await (const page of statement.pages(1)) yield page;
        } finally {
          ended++;
        }
      },
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.read();
    await reader.cancel();
    assertEquals(ended, 1);
  }
});
