import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { openTestSchema, type TestSchema } from "../../../test/support/test_schema.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { createTrading } from "../trading/create_trading.ts";
import { findExcessPrivileges } from "./excess_privileges.ts";
import { verifySchema } from "./schema_state.ts";

// (D53) One database with two schemas.
const main = await openTestDatabase();
const b = await openTestSchema({ url: main.url, appUrl: main.urlAs("sabika_app") }, "cell_b");
after(async () => {
  await b.close();
  await main.close();
});
const prices = await setFixedPrice([main.database, b.database], 4_850_000n);

async function trade(
  { database, app }: Pick<TestSchema, "database" | "app">,
  orders: number,
): Promise<void> {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000_000n });
  const trading = createTrading({ database: app, prices, random, now: Date.now });
  for (let i = 0; i < orders; i++) {
    const quote = await trading.quote(bank.quote());
    assert(quote.ok);
    const order = bank.order(quote.value.id);
    const first = await trading.order(order);
    assert(first.ok);
    assertEquals(await trading.order({ ...order, nonce: bank.order(quote.value.id).nonce }), {
      ...first,
      replayed: true,
    });
  }
}

test("two schemas of one database trade independently of each other", async () => {
  await trade(b, 3);
  await trade(main, 1);
  for (const [{ database }, orders] of [[b, 3], [main, 1]] as const) {
    await verifySchema(database);
    const [row] = await database.sql<{ n: number }[]>`select count(*)::int as n from orders`;
    assertEquals(row!.n, orders);
  }
});

test("every SECURITY DEFINER function is pinned to its own schema", async () => {
  const functions = await b.database.sql<{ pinned: boolean }[]>`
    select 'search_path=cell_b, pg_temp' = any (proconfig) as pinned from pg_proc
    where pronamespace = 'cell_b'::regnamespace and prosecdef`;
  assert(functions.length > 20);
  assert(functions.every(({ pinned }) => pinned));
});

test("a server's role has the same privileges in its schema as in `public`", async () => {
  assertEquals(await findExcessPrivileges(b.app), []);
  await b.database.sql`grant insert on orders to sabika_app`;
  assertEquals(await findExcessPrivileges(b.app), ["may write orders"]);
  await b.database.sql`revoke insert on orders from sabika_app`;
  await assertRejects(() => b.app.sql`delete from orders`, Error, "permission denied");
});
