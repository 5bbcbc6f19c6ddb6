import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { lastRelease, withMigrated } from "../../../test/support/schema_releases.ts";
import { openTestMarket, openTestTrading, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { reconcileSince } from "../ledger/reconcile.ts";
import { migrate } from "../schema/migrate.ts";
import { readSchemaRelease } from "../schema/schema_release.ts";
import { maintainPricePartitions } from "./price_partitions.ts";

const { database, app, trading, close } = await openTestMarket();
const { sql } = database;
after(close);

const DAY_MS = 86_400_000;
/** The number of a price that arrived in the middle of the month, so many months ago. */
function numberAgo(months: number): bigint {
  const date = new Date();
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 15)) * 1_000n;
}
const monthOf = (number: bigint) =>
  new Date(Number(number / 1_000n)).toISOString().slice(0, 7).replace("-", "");
async function months(): Promise<string[]> {
  const rows = await sql<{ month: string }[]>`
    select right(relname, 6) as month from pg_inherits join pg_class on oid = inhrelid
    where inhparent = 'prices'::regclass order by 1`;
  return rows.map(({ month }) => month);
}
const record = async () => {
  const [row] = await app.sql<{ number: bigint }[]>`
    select record_price('fixed', 4000000, ${Date.now()}::bigint) as number`;
  return row!.number;
};
const [thisMonth, nextMonth, monthAfter] = [0, -1, -2].map((ago) => monthOf(numberAgo(ago)));

test("a price is recorded although its month has no partition yet, also across a month's edge", async () => {
  await sql.unsafe(`drop table prices_${thisMonth}, prices_${nextMonth}`);
  const number = await record();
  assertEquals([monthOf(number), await months()], [thisMonth, [thisMonth]]);
  const { next_ms: nextMs } = (await sql`
    select next_ms from month_at(${number / 1_000n}::bigint)`)[0] as { next_ms: bigint };
  // The month's last millisecond has a price: the next price's number is in the next month.
  await byForce(
    database,
    `insert into prices values (${nextMs * 1_000n - 1_000n}, 1, now(), now(), 'feed')`,
  );
  assertEquals(await record(), nextMs * 1_000n);
  assertEquals(await months(), [thisMonth, nextMonth]);
  await byForce(database, `delete from prices where price_number > ${number}`);
});

test("a month of prices goes when it is wholly older than the setting, and its orders are still recounted", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 10_000_000n });
  await trade(trading, bank);
  await trade(trading, bank, "sell");
  const recount = async () => {
    const { differences, unpricedOrders } = await reconcileSince(database, { whole: true });
    return [...differences.map(({ check }) => check), Number(unpricedOrders)];
  };
  assertEquals(await recount(), [0]);

  const [number] = (await sql<{ n: bigint }[]>`select max(price_number) as n from prices`).map(
    ({ n }) => n,
  );
  /** Has the orders name a price of so many months ago, which was recorded with another beside it. */
  const age = async (n: number) => {
    await sql`select ensure_price_partition(${numberAgo(n)}::bigint)`;
    await byForce(
      database,
      `insert into prices select ${
        numberAgo(n)
      } + beside, mid_ten_thousandths, as_of, arrived_at, source
        from prices, unnest('{0,1000}'::integer[]) beside where price_number = ${number}`,
      ...["quotes", "orders"].map((table) =>
        `update ${table} set price_number = ${numberAgo(n)} where price_number is not null`
      ),
    );
  };
  await age(15);
  await age(14);
  const kept = [14, 0].map((ago) => monthOf(numberAgo(ago)));
  assertEquals(await months(), [monthOf(numberAgo(15)), ...kept, nextMonth]);
  await maintainPricePartitions(
    app.sql,
    Math.floor((Date.now() - Number(numberAgo(14)) / 1_000) / DAY_MS),
  );
  assertEquals(await months(), [...kept, nextMonth]);
  assertEquals(await recount(), [0]);
  // One price is missing from a month that is there.
  await byForce(database, `delete from prices where price_number = ${numberAgo(14)}`);
  assertEquals(await recount(), ["prices", "prices", 0]);
  // The month ended over a year ago, whatever the setting says.
  await maintainPricePartitions(app.sql, 1);
  assertEquals(await months(), [kept[1], nextMonth]);
  assertEquals(await recount(), [0]);
  const raise = (by: number) =>
    byForce(
      database,
      ...["quotes", "orders"].map((table) =>
        `update ${table} set mid_ten_thousandths = mid_ten_thousandths + ${by} where side = 'buy'`
      ),
    );
  await raise(100);
  assertEquals(await recount(), ["prices", 0]);
  await raise(-100);

  // A younger month that was dropped by force is missed.
  await age(2);
  await sql.unsafe(`drop table prices_${monthOf(numberAgo(2))}`);
  assertEquals(await recount(), ["prices", "prices", 0]);
  await byForce(
    database,
    ...["quotes", "orders"].map((table) =>
      `update ${table} set price_number = ${number} where price_number is not null`
    ),
  );
  assertEquals(await recount(), [0]);
});

test("the month of the newest price stays, however old it is", async () => {
  await sql.unsafe(`drop table prices_${thisMonth}`);
  for (const ago of [20, 19]) {
    await sql`select ensure_price_partition(${numberAgo(ago)}::bigint)`;
    await byForce(
      database,
      `insert into prices values (${numberAgo(ago)}, 1, now(), now(), 'feed')`,
    );
  }
  await maintainPricePartitions(app.sql, 365);
  assertEquals(await months(), [19, 0, -1].map((ago) => monthOf(numberAgo(ago))));
});

test("a filled book of prices is migrated with every row, and programs of before go on with it", async () => {
  const ours = await readSchemaRelease();
  const before = {
    ...lastRelease(ours),
    // The functions use what later migrations add.
    migrations: ours.migrations.filter(({ name }) => !name.startsWith("0014_")),
    functions: ours.functions.replace("PERFORM ensure_price_partition(v_number);", ""),
  };
  await withMigrated([before], async ({ database: old }) => {
    const market = await openTestTrading({ database: old });
    const bank = await admitTestPartner(old, { cashHalalas: 10_000_000n });
    await trade(market, bank);
    await byForce(
      old,
      `insert into prices select ${numberAgo(30)} + n * 1000000000000, 5, now(), now(), 'feed'
      from generate_series(1, 50) n`,
    );
    const rows = async () =>
      (await Promise.all(
        ["prices", "quotes", "orders"].map((table) =>
          old.sql.unsafe(`select t::text from ${table} t order by 1`)
        ),
      )).map((found) => found.map(({ t }) => t));
    const found = await rows();
    assertEquals(found.map(({ length }) => length), [51, 1, 1]);

    // After the migration and before the functions.
    await assertRejects(() => migrate(old, { release: { ...ours, functions: "SELECT 1 / 0" } }));
    assertEquals(await rows(), found);
    await trade(market, bank);
    await migrate(old);
    await trade(market, bank, "sell");
    const [partitions] = await old.sql`select array_to_json(array_agg(relname order by 1)) as names
      from pg_inherits join pg_class on oid = inhrelid where inhparent = 'prices'::regclass`;
    assertEquals(
      partitions!["names"],
      [thisMonth, nextMonth, monthAfter].map((month) => `prices_${month}`),
    );
    // The table of before has all that is older.
    await old.sql`select ensure_price_partition(${numberAgo(40)}::bigint)`;
    await byForce(old, `insert into prices values (${numberAgo(40)}, 1, now(), now(), 'feed')`);
    await assertRejects(() => old.sql`delete from prices`, Error, "append only");
    const { differences } = await reconcileSince(old, { whole: true });
    assertEquals(differences, []);
  });
});
