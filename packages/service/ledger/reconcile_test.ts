import { actsOn } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestMarket, trade, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { reconcile, reconcileSince } from "./reconcile.ts";
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";

const { database, trading, close } = await openTestMarket();
const act = actsOn(database);
const { sql } = database;
after(close);

// Orders of the oldest partition's first minutes are not checked for nonces: make one before it.
await sql`select make_nonce_partitions(extract(epoch from now())::bigint)`;
const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
value(await trading.fund(bank.fund(1_000n)));
for (const side of ["buy", "sell"] as const) await trade(trading, bank, side);
const STATUS_PATHS = [
  [],
  [["withdrawal.processing"], ["withdrawal.completed"]],
  [["withdrawal.processing"], ["withdrawal.failed", "closed"]],
  [["withdrawal.cancelled"]],
] as const;
for (const steps of STATUS_PATHS) {
  const { id } = value(await trading.withdraw(bank.withdraw(500n)));
  for (const [name, failure] of steps) {
    const done = failure === undefined
      ? await act(name, { withdrawal: id })
      : await act(name, { withdrawal: id, failure });
    assert(done.ok);
  }
}

/** Runs statements as a superuser can; returns the checks that then find a difference. */
async function foundAfter(...statements: string[]): Promise<string[]> {
  await byForce(database, ...statements);
  return (await reconcile(database)).map(({ check }) => check);
}

test("a correct ledger has no differences, for one partner and for all", async () => {
  assertEquals(await reconcile(database), []);
  assertEquals(await reconcile(database, bank), []);
});

test("an order's deleted nonce is found, unless the rows were written anew", async () => {
  const bought = "select xmin::text from orders where side = 'buy'";
  assertEquals(await foundAfter(`delete from nonces where xmin::text in (${bought})`), ["nonces"]);
  assertEquals(await foundAfter("update orders set side = side"), []);
});

test("a halala more is found wherever it is, although quote, order, transfer and balances agree (D88)", async () => {
  const sale = "from orders o where o.side = 'sell' and o.partner_id = ";
  const raise = (by: number) => [
    `update quotes set total_halalas = total_halalas + ${by} where side = 'sell'
      and quote_id in (select quote_id from orders)`,
    `update transfers t set amount = amount + ${by} ${sale} t.partner_id and o.order_id = t.source_id
      and t.asset = 'SAR'`,
    `update accounts a set cash_halalas = cash_halalas + ${by},
      house_cash_halalas = house_cash_halalas - ${by} ${sale} a.partner_id`,
    `update orders set total_halalas = total_halalas + ${by},
      cash_after_halalas = cash_after_halalas + ${by} where side = 'sell'`,
  ];
  assertEquals(await foundAfter(...raise(1)), ["prices"]);
  assertEquals(await foundAfter(...raise(-1)), []);
  for (const column of ["mid_ten_thousandths", "price_number"]) {
    const change = (by: string) => `update prices set ${column} = ${column} ${by} 100`;
    assertEquals(await foundAfter(change("+")), ["prices", "prices"], column);
    assertEquals(await foundAfter(change("-")), [], column);
  }
  for (const column of ["spread_ppm", "fee_ppm", "mid_ten_thousandths"]) {
    const change = (by: string) =>
      ["quotes", "orders"].map((table) => `update ${table} set ${column} = ${column} ${by} 100`);
    assertEquals(await foundAfter(...change("+")), ["prices", "prices"], column);
    assertEquals(await foundAfter(...change("-")), [], column);
    assertEquals(await foundAfter(change("+")[1]!), ["terms", "terms"], column);
    assertEquals(await foundAfter(change("-")[1]!), [], column);
  }
});

/** Quotes and orders from before prices were recorded. */
const UNKNOWN = `price_number = null, spread_ppm = null, fee_ppm = null, mid_ten_thousandths = null,
  price_source = null, gold_vat_ppm = null, fee_vat_halalas = null, discloses_spread = null`;

test("orders from before prices were recorded are counted, later ones without a price are found", async () => {
  const without = `create table kept_quotes as select * from quotes where side = 'buy';
    update quotes set ${UNKNOWN} where side = 'buy';
    update orders set ${UNKNOWN}, fee_vat_ppm = null where side = 'buy'`;
  const unpriced = async () => {
    const { differences, unpricedOrders } = await reconcileSince(database, {
      whole: true,
      partnerId: bank.partnerId,
    });
    return [differences.length, unpricedOrders];
  };
  assertEquals(await unpriced(), [0, 0n]);
  assertEquals(await foundAfter(without), []);
  assertEquals(await unpriced(), [0, 1n]);
  const move = (by: string) =>
    `update prices set arrived_at = arrived_at ${by} interval '2 minutes'`;
  assertEquals(await foundAfter(move("-")), ["prices"]);
  const known = UNKNOWN.replaceAll(/(\w+) = null/g, "$1 = k.$1");
  const back = `update quotes q set ${known} from kept_quotes k where k.quote_id = q.quote_id;
    update orders q set ${known}, fee_vat_ppm = k.vat_ppm from kept_quotes k where k.quote_id = q.quote_id;
    drop table kept_quotes`;
  assertEquals(await foundAfter(move("+"), back), []);
});

/** Dates all rows an hour earlier. */
async function ageAll(): Promise<void> {
  // Each table is updated in its own transaction, so that an order and its event differ in xmin.
  const times = { transfers: "posted_at", orders: "executed_at", pool_versions: "made_at" };
  for (const table of ["fundings", "withdrawals", "quotes", "events", "idempotency_keys"]) {
    Object.assign(times, { [table]: "created_at" });
  }
  for (const [table, column] of Object.entries(times)) {
    await byForce(database, `update ${table} set ${column} = ${column} - interval '1 hour'`);
  }
}

test("a recount of new rows starts at the last whole one, and a whole recount finds older differences", async () => {
  await ageAll();
  const since = async (whole = false) => {
    const { differences, sinceMs, unpricedOrders } = await reconcileSince(database, { whole });
    assertEquals(unpricedOrders, 0n);
    return [sinceMs !== null, ...differences.map(({ check }) => check)];
  };
  assertEquals(await since(), [false]);
  const keptAt = async () => {
    const rows = await sql<{ since: string }[]>`select distinct since::text as since from recounts`;
    return rows.map(({ since }) => since).join();
  };
  const first = await keptAt();
  const [kept] = await sql<{ first: bigint; last: bigint; cash: bigint; balance: bigint }[]>`
    select first_transfer as first, last_transfer as last, r.cash_halalas as cash,
      a.cash_halalas as balance
    from recounts r join accounts a using (partner_id) where partner_id = ${bank.partnerId}`;
  assertEquals([kept!.first, kept!.cash], [kept!.last + 1n, kept!.balance]);

  const { id } = await trade(trading, bank);
  value(await trading.fund(bank.fund(2_000n)));
  value(await trading.withdraw(bank.withdraw(700n)));
  assertEquals(await since(), [true]);
  const uuid = id.slice("ord_".length);
  const change = (which: string, by: number) =>
    byForce(database, `update orders set total_halalas = total_halalas + ${by} where ${which}`);
  const young = `order_id = '${uuid}'`;
  await change(young, 1);
  assertEquals(await since(), [true, "orders", "terms"]);
  await change(young, -1);
  await change(`not ${young}`, 1);
  assertEquals(await since(), [true]);
  const older = ["orders", "orders", "terms", "terms"];
  assertEquals(await since(true), [false, ...older]);
  assertEquals((await reconcile(database)).map(({ check }) => String(check)), older);
  assertEquals(await keptAt(), first, "only a whole recount that finds nothing is kept");
  await change(`not ${young}`, -1);

  const balance = (by: number) =>
    byForce(
      database,
      `update accounts set cash_halalas = cash_halalas + ${by}, bank_halalas = bank_halalas - ${by}`,
    );
  await balance(5);
  assertEquals(await since(), [true, "balance", "balance"]);
  await balance(-5);
  assertEquals(await since(true), [false]);
  assert(await keptAt() !== first);
});

test("a recount of new rows finds a deleted key of any generation", async () => {
  const age = (keys: number) =>
    sql`
    update accounts set last_key = last_key + ${keys} where partner_id = ${bank.partnerId}`;
  await age(300_000);
  await trade(trading, bank);
  await ageAll();
  assertEquals((await reconcileSince(database, { whole: true })).differences, []);
  await age(500_000);
  await trade(trading, bank);
  const missing = async () => {
    const { differences, sinceMs } = await reconcileSince(database, { whole: false });
    assert(sinceMs !== null);
    return differences.map(({ check }) => check);
  };
  assertEquals(await missing(), []);
  const last = "generation = (select max(generation) from trade_keys)";
  await byForce(
    database,
    `create table gone as select * from trade_keys where ${last}`,
    `delete from trade_keys where ${last}`,
  );
  assertEquals(await missing(), ["keys", "keys"]);
  await byForce(database, "insert into trade_keys select * from gone", "drop table gone");
});
