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
    `update orders set order_id = first_id_at((extract(epoch from executed_at) * 1000)::bigint),
      total_halalas = total_halalas + 1 where partner_id = ${id}`,
    // Their prices were not recorded.
    `update orders set mid_ten_thousandths = null, price_source = null, gold_vat_ppm = null, fee_vat_halalas = null,
      discloses_spread = null
      where partner_id = ${id} and extract(minute from executed_at) in (5, 20)`,
  );
  const sums = async (orders: number) => {
    const [row] = await app.sql<{ more: boolean }[]>`
      select sum_margins(${id}::integer, ${orders}::integer) as more`;
    return [row!.more, (await summed()).find(([partner]) => partner === id)?.[1]];
  };
  assertEquals(await sums(3), [true, 3]);
  assertEquals(await sums(1), [true, 4]);
  assertEquals(await sums(2), [false, 5]);
  const [row] = await sql`select * from margin_hours where partner_id = ${id}`;
  assertEquals([row!["unpriced"], row!["rounding_halalas"] === 0n], [2, false]);
  assertEquals(
    [...await sql`select * from margins_by_hour(${id}, now() - interval '1 day', now())`],
    [row],
  );
});

test("nothing is summed of a partner that is at home elsewhere", async () => {
  assertEquals(
    [...await app.sql`select sum_margins(max(partner_id) + 1) as more from accounts`],
    [{ more: false }],
  );
});

test("an order is in the hour of its execution, wherever its id is within a minute of it", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 10_000_00n });
  for (let n = 0; n < 3; n++) await trade(trading, bank);
  // The last moment of an hour, and the first and the last of the next: the id is a minute earlier or
  // later. The first by its id is not the first by its time.
  const [{ hourMs }] = await sql<[{ hourMs: number }]>`
    select (extract(epoch from date_trunc('hour', now()) - interval '9 hours') * 1000)::float8 as "hourMs"`;
  const moments = [
    [hourMs + 3_599_999, 60_000],
    [hourMs + 3_600_000, -60_000],
    [hourMs + 7_199_999, 60_000],
  ] as const;
  const ids = await sql<{ id: string }[]>`
    select order_id as id from orders where partner_id = ${bank.partnerId} order by order_id`;
  await byForce(
    database,
    ...moments.map(([ms, lag], n) =>
      `update orders set executed_at = to_timestamp(${ms} / 1000.0),
        order_id = first_id_at(${ms + lag}) where order_id = '${ids[n]!.id}'`
    ),
  );
  await sumMargins(app);
  assertEquals(
    [
      ...await sql`select (extract(epoch from hour) * 1000)::float8 as ms, orders from margin_hours
      where partner_id = ${bank.partnerId} order by 1`,
    ],
    [{ ms: hourMs, orders: 1 }, { ms: hourMs + 3_600_000, orders: 2 }],
  );
  for (const [fromMs, orders] of [[hourMs, 1], [hourMs + 3_600_000, 2], [hourMs - 3_600_000, 0]]) {
    const [row] = await sql<{ n: number }[]>`select coalesce(sum(orders), 0)::integer as n from
      margins_by_hour(${bank.partnerId}, to_timestamp(${fromMs! / 1_000}), to_timestamp(${
      fromMs! / 1_000 + 3_600
    }))`;
    assertEquals(row!.n, orders);
  }
});
