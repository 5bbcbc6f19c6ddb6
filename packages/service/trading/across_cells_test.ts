import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { CellAwayError, createCells, mapCells } from "../cells/cells.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { readingAcross, tradingAcross } from "./across_cells.ts";
import { createReading } from "./create_reading.ts";
import { createWrites } from "./writes.ts";

const { database, app, close } = await openTestDatabase();
const away = openDatabase("postgres://nobody@127.0.0.1:1/nowhere");
const prices = await setFixedPrice(database, 4_850_000n);
const [here, gone] = [await admitTestPartner(database), await admitTestPartner(database)];
const cells = createCells(app, (partnerId) => partnerId === gone.partnerId ? "b" : "main");
after(async () => {
  await away.close();
  await close();
});

test("writes that wait for a cell that is down do not get other partners refused", async () => {
  const following = { refresh: () => Promise.resolve(), pause: () => Promise.resolve() };
  const trading = tradingAcross(
    mapCells(cells, (database) => createWrites({ database, now: Date.now, maxWaiting: 2 })),
    { prices, random, now: Date.now, ...following },
  );
  const reading = readingAcross(
    mapCells(
      cells,
      (database) => createReading({ database, environment: "sandbox", now: Date.now }),
    ),
    following,
  );
  await assertRejects(() => trading.quote(gone.quote()), CellAwayError);
  await assertRejects(() => reading.balances(gone), CellAwayError);
  assert((await trading.quote(here.quote())).ok);

  cells.add("b", away);
  const refused = Array.from({ length: 8 }, () => trading.quote(gone.quote()));
  assertEquals(trading.queueDepth(), 2);
  const made = await Promise.all([1, 2].map(() => trading.quote(here.quote())));
  assertEquals(made.map(({ ok }) => ok), [true, true]);
  assertEquals((await reading.listQuotes({ partnerId: here.partnerId, limit: 10 })).ok, true);
  for (const outcome of await Promise.all(refused)) {
    assertEquals(outcome.ok || outcome.code, "service_unavailable");
  }
});
