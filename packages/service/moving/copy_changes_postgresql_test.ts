import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Transaction } from "@sabika/database";
import { actsOn } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { openTestTrading, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { compareBalances, compareRows } from "./compare_rows.ts";
import { copyChanges, type Mark, readMark } from "./copy_changes.ts";
import { copyRows } from "./copy_rows.ts";

// (D53) Two databases with the same partner, whose accounts are in the first.
const [source, target] = [await openTestDatabase(), await openTestDatabase()];
after(async () => {
  await source.close();
  await target.close();
});
const bank = await admitTestPartner(source.database, { cashHalalas: 1_000_000_000n });
await admitTestPartner(target.database, { allocationMicrograms: 0n });
await target.database.sql`delete from accounts`;
const { partnerId } = bank;
const trading = await openTestTrading(source, 4_850_000n);

/** An order, a quote that nobody takes, and money that comes and goes. */
async function trade(): Promise<void> {
  const quote = value(await trading.quote(bank.quote()));
  assert((await trading.order(bank.order(quote.id))).ok);
  assert((await trading.quote(bank.quote())).ok);
  assert((await trading.fund(bank.fund(100n))).ok);
  assert((await trading.withdraw(bank.withdraw(100n))).ok);
}

const inOneSnapshot = <T>(body: (sql: Transaction) => Promise<T>) =>
  source.database.sql.begin("isolation level repeatable read", body);

/** Copies all there is. */
const copyAll = () =>
  inOneSnapshot(async (sql) => {
    const mark = await readMark(sql, partnerId);
    await copyRows(sql, target.database.sql, { partnerId });
    await compareRows(sql, target.database.sql, mark);
    return mark;
  });

const copySince = (since: Mark) =>
  inOneSnapshot(async (sql) => {
    const now = await readMark(sql, partnerId);
    return { now, ...await copyChanges(sql, target.database.sql, { since, now }) };
  });

test("all rows of a partner since a mark are found, and compared with those before it", async () => {
  await trade();
  const mark = await copyAll();
  assertEquals((await copySince(mark)).isWhole, true);
  await setFixedPrice(source.database, 4_900_000n);
  await trade();
  await trade();
  // A quote names a price of a month that has no partition in the target.
  const old = BigInt(Date.UTC(2025, 1, 1)) * 1_000n;
  await source.database.sql`select ensure_price_partition(${old}::bigint)`;
  await byForce(
    source.database,
    `insert into prices values (${old}, 4800000, now(), now(), 'fixed')`,
    `update quotes set price_number = ${old}
      where quote_id = (select quote_id from quotes order by quote_id desc limit 1)`,
  );
  const { now, isWhole, rows } = await copySince(mark);
  assert(isWhole);
  // An order has 8 rows with its quote, the other quote 2, the funding 4 and the withdrawal 5.
  assert(rows >= 38, `${rows}`);
  await inOneSnapshot((sql) => compareRows(sql, target.database.sql, now));
  // With the prices that its quotes name.
  const named = await target.database.sql`
    select distinct prices.mid_ten_thousandths as mid from quotes join prices using (price_number) order by 1`;
  assertEquals(named.map(({ mid }) => mid), [4_800_000n, 4_850_000n, 4_900_000n]);
  const balances = { partnerId, accounts: now.accounts, before: mark.accounts };
  await compareBalances(target.database.sql, balances);
  await assertRejects(
    () => compareBalances(target.database.sql, { ...balances, accounts: mark.accounts }),
    Error,
    "balances",
  );
});

test("a withdrawal that its bank refused since the mark is refused, for its reason, in the other cell", async () => {
  const act = actsOn(source.database);
  const { id: withdrawal } = value(await trading.withdraw(bank.withdraw(100n)));
  const mark = await copyAll();
  assert((await act("withdrawal.processing", { withdrawal })).ok);
  assert((await act("withdrawal.failed", { withdrawal, failure: "account closed" })).ok);
  assert((await copySince(mark)).isWhole);
  const refused = await target.database.sql`
    select failure from withdrawals where status = 'failed'`;
  assertEquals(refused.map(({ failure }) => failure), ["account closed"]);
});

test("keys in the wrong generation count as missing", async () => {
  const mark = await copyAll();
  await trade();
  assertEquals((await copySince({ ...mark, keyPages: mark.keyPages + 1_000n })).isWhole, false);
  await copyAll();
});

test("receipts go along, also those that were signed since the mark, and stay as they are", async () => {
  /** Signs orders that have no receipt, as far as one cares here. */
  const sign = (marked: string) =>
    source.app.sql.unsafe(`select keep_receipts(array_agg(partner_id), array_agg(order_id),
      array_agg('signed ' || now()), '{${partnerId}}', '{${marked}}') from orders`);
  const receiptsIn = ({ sql }: typeof source.database) =>
    sql`select order_id, jws from receipts order by order_id`;
  const [{ last } = { last: 0n }] = await source.database.sql<{ last: bigint }[]>`
    select last_event as last from accounts`;
  await sign(String(last));
  await trade();
  const mark = await copyAll();
  await trade();
  await sign(String(last));
  const { isWhole, now } = await copySince(mark);
  assert(isWhole);
  await inOneSnapshot((sql) => compareRows(sql, target.database.sql, now));
  const [there, here] = [await receiptsIn(source.database), await receiptsIn(target.database)];
  assertEquals([...here], [...there]);
  assertEquals(new Set(there.map(({ jws }) => jws)).size, 2);
});
