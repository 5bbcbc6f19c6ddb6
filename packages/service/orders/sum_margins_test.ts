import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { sumMargins } from "./sum_margins.ts";

const { database, app, trading, close } = await openTestMarket();
const { sql } = database;
after(close);

/** Admits a partner with five orders, one in each of five past hours; returns its number. */
async function admit(): Promise<number> {
  const bank = await admitTestPartner(database, { cashHalalas: 10_000_00n });
  for (let n = 0; n < 5; n++) await trade(trading, bank);
  await byForce(
    database,
    `update orders set executed_at = v.at, order_id = first_id_at((extract(epoch from v.at) * 1000)::bigint)
      from (select order_id, now() - (1 + row_number() over ()) * interval '1 hour' as at from orders
        where partner_id = ${bank.partnerId}) v
      where orders.order_id = v.order_id`,
  );
  return bank.partnerId;
}
const summed = async () =>
  (await sql<{ id: number; orders: number }[]>`
    select partner_id as id, sum(orders)::integer as orders from margin_hours group by 1 order by 1`)
    .map(({ id, orders }) => [id, orders]);

test("a partner whose sums fail stops no other's, and the failure is reported", async () => {
  const [first, second] = [await admit(), await admit()];
  for (const [failing, other] of [[first, second], [second, first]]) {
    await byForce(
      database,
      "delete from margin_hours; delete from margin_marks",
      `create or replace function fail() returns trigger language plpgsql as
        $$ begin raise 'no sums of %', new.partner_id; end $$;
        create or replace trigger failing before insert on margin_hours for each row
        when (new.partner_id = ${failing}) execute function fail()`,
    );
    await assertRejects(() => sumMargins(app), Error, `no sums of ${failing}`);
    assertEquals(await summed(), [[other, 5]]);
  }
  await sql`drop trigger failing on margin_hours`;
  await sumMargins(app);
  assertEquals(await summed(), [[first, 5], [second, 5]]);
});

test("a call adds up no more orders than it may, but a whole minute, of an hour too", async () => {
  const id = await admit();
  await byForce(
    database,
    `update orders set executed_at = date_trunc('hour', now()) - interval '3 hours' + v.nth * interval '5 minutes'
      from (select order_id, row_number() over () as nth from orders where partner_id = ${id}) v
      where orders.order_id = v.order_id`,
    `update orders set order_id = first_id_at((extract(epoch from executed_at) * 1000)::bigint)
      where partner_id = ${id}`,
  );
  const sums = async (orders: number) => {
    const [row] = await app.sql<{ more: boolean }[]>`
      select sum_margins(${id}::integer, ${orders}::integer) as more`;
    return [row!.more, (await summed()).find(([partner]) => partner === id)?.[1]];
  };
  assertEquals(await sums(3), [true, 3]);
  assertEquals(await sums(0), [true, 4]);
  await sumMargins(app);
  assertEquals(await summed().then((all) => all.at(-1)), [id, 5]);
});
