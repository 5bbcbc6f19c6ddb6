/** A recount of new rows reads only a few rows for each, however many old ones there are. */
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { reconcileSince } from "@sabika/service/ledger";
import { rowsRead } from "../test/support/rows_read.ts";
import { openTestDatabase } from "../test/support/test_database.ts";
import { openTestTrading, trade } from "../test/support/test_market.ts";
import { admitTestPartner } from "../test/support/test_partner.ts";
import { fill } from "./bench/world/fill.ts";

const PAST = 40_000;
const NEW = 50;

const { database, close } = await openTestDatabase();
after(close);
const old = await admitTestPartner(database, { cashHalalas: 100_000_000_000n });
const young = await admitTestPartner(database, { cashHalalas: 100_000_000_000n });
const past = { partnerId: old.partnerId, orders: PAST };
const nowSeconds = Math.floor(Date.now() / 1000);
await fill(database.sql, [past], nowSeconds, () => {});
await database.sql`select keep_recount()`;
const trading = await openTestTrading({ database }, 4_850_000n);
for (const partner of [old, young]) {
  for (let count = 0; count < NEW; count++) await trade(trading, partner);
}

/** The tables that grow with trade; keys and nonces are in partitions that end. */
const GROWING = ["quotes", "orders", "transfers", "events"];

test("a recount of new rows reads only new rows, however long a partner's past", async () => {
  const { rows, shown: { differences, sinceMs } } = await rowsRead(
    database,
    (inside) => reconcileSince(inside, { whole: false }),
    GROWING,
  );
  assert(sinceMs !== undefined);
  // The vault has no bars for the gold that `fill` has given.
  assertEquals(differences.filter(({ check }) => check !== "vault"), []);
  // For each order: two transfers, an event, the quote twice, and the order.
  assert(rows <= 10 * 2 * NEW, `${rows} rows`);
});
