import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { plainArray, textArray } from "@sabika/database";
import { byForce } from "../../../test/support/by_force.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { reconcile } from "../ledger/reconcile.ts";

// Decision D48: what a stolen role of a server cannot do, on books with something to lose.

const { database, app, trading, close } = await openTestMarket();
after(close);
const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
await trade(trading, bank);
await trading.spendNonce({
  partnerId: bank.partnerId,
  value: "0123456789abcdef",
  timestampSeconds: Math.floor(Date.now() / 1000),
});
await app.sql`select record_attempts(array[${bank.partnerId}::integer], '{1}',
  array[${Date.now()}::bigint], '{5}', '{204}', '{NULL}', '{NULL}')`;
const [partition] = await database.sql<{ name: string }[]>`
  select inhrelid::regclass::text as name from pg_inherits where inhparent = 'nonces'::regclass`;

/** One of each kind, refused for want of a privilege (42501); `privileges_postgresql_test.ts` has all objects. */
const REFUSED = [
  // The books, keys and logs.
  "update transfers set amount = amount + 1",
  "delete from transfers",
  "update orders set total_halalas = 1",
  "update quotes set expires_at = expires_at + interval '1 day'",
  "update accounts set cash_halalas = cash_halalas + 1, bank_halalas = bank_halalas - 1",
  "select * from accounts for update",
  "update withdrawals set iban = 'SA0000000000000000000000'",
  "truncate accounts, transfers, orders cascade",
  "merge into accounts a using accounts b on a.partner_id = b.partner_id when matched then delete",
  // Nonces, whole and by the partition.
  "select * from nonces",
  `delete from ${partition!.name}`,
  `drop table ${partition!.name}`,
  `alter table nonces detach partition ${partition!.name}`,
  "select drop_nonce_partitions(99999999999)",
  "update partners set settlement_iban = 'SA0000000000000000000000'",
  // The prices, and what quotes follow from.
  "insert into prices values (1, 1, now(), now(), 'fixed')",
  "update prices set mid_ten_thousandths = 1",
  "update price_settings set configuration = '{}'",
  "update partners set spread_ppm = 0",
  "select keep_price('fixed', 1, now(), false)",
  "insert into quotes select * from quotes",
  "select sealed_private_key from authorities",
  "insert into audit_log (actor, action) values ('operator', 'nothing')",
  "update webhook_lanes set partner_id = partner_id",
  "update event_deliveries set sequence = sequence",
  // Functions that are not a server's, and arguments that are not honest.
  `select credit_fundings('{1}', '{${crypto.randomUUID()}}', '{${crypto.randomUUID()}}', '{NULL}',
    '{NULL}', '{100}', '{NULL}')`,
  "select post_transfer(1, 'SAR', 'bank', 'cash', 1, 'gift', gen_random_uuid())",
  "select grant_privileges()",
  // The schema, its functions and triggers.
  "create table public.mine (a integer)",
  "create schema mine",
  "create temp table accounts (a integer)",
  "create index on transfers (amount)",
  "create extension dblink",
  "create function public.mine() returns int language sql as 'select 1'",
  "create or replace function short_hash(p_text text) returns bytea language sql as 'select null::bytea'",
  "alter function place_orders owner to current_user",
  "alter function place_orders security invoker",
  "drop function place_orders",
  "create trigger mine before insert on orders for each row execute function refuse_change()",
  "alter table transfers disable trigger transfers_immutable",
  "drop trigger transfers_immutable on transfers",
  "alter table orders add column mine text",
  "alter table accounts drop constraint accounts_cash_not_negative",
  "drop table transfers",
  "create rule mine as on delete to quotes do instead nothing",
  "create policy mine on orders",
  "do $$ begin perform 1; end $$",
  "select 1; lock table transfers in access exclusive mode",
  "comment on table transfers is 'mine'",
  "select nextval('partners_partner_id_seq')",
  // Other roles, the server and its machine.
  "set role sabika_owner",
  "set role sabika_operator",
  "set session authorization sabika_owner",
  "set session_replication_role = replica",
  "grant sabika_owner to current_user",
  "grant update on audit_log to current_user",
  "create role mine superuser",
  "alter role sabika_owner login",
  "reassign owned by sabika_owner to current_user",
  "drop owned by sabika_owner",
  "alter schema public owner to current_user",
  "create database mine",
  "alter system set fsync = off",
  "copy transfers to program 'cat'",
  "copy webhook_lanes from program 'id'",
  "select pg_read_file('postgresql.conf')",
  "select lo_import('/etc/passwd')",
  "select lo_create(0)",
  "select pg_reload_conf()",
  "select pg_create_physical_replication_slot('mine')",
  "create publication mine for all tables",
  "alter database postgres set fsync = off",
  "select * from pg_authid",
];

test("sabika_app is refused every statement that a server does not need (F28)", async () => {
  const wrong: string[] = [];
  for (const statement of REFUSED) {
    try {
      await app.sql.unsafe(statement);
      wrong.push(`done: ${statement}`);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== "42501") wrong.push(`${code} ${message}: ${statement}`);
    }
  }
  assertEquals(wrong, []);
  assertEquals(await reconcile(database), []);
});

/** Calls `make_priced_quotes` for one quote as a server may; returns its row. */
async function makeQuote(side: string, gold: bigint, price: bigint | null) {
  const id = crypto.randomUUID();
  const [row] = await app.sql<{ result: string; total: bigint | null }[]>`
    select result, total from make_priced_quotes(array[${bank.partnerId}::integer], array[${id}::uuid],
      array[${id}], '{x}', array[${side}], array[${gold}::bigint], '{NULL}',
      array[${price}::bigint], '{1}', '{1000000000000000}', '{1000}')`;
  return row!;
}

/** Records a price as a server may; returns its number and the mid price that the row has. */
async function record(source: string, mid: bigint, agedMs = 0) {
  const [made] = await app.sql<{ number: bigint | null }[]>`
    select record_price(${source}, ${mid}::bigint, ${Date.now() - agedMs}::bigint) as number`;
  const { number } = made!;
  const [row] = await app.sql<{ mid: bigint }[]>`
    select mid_ten_thousandths as mid from prices where price_number = ${number}`;
  return { number, mid: row?.mid ?? null };
}

test("sabika_app makes no quote but at the price that was set, however it lies (D88)", async () => {
  const set = await record("fixed", 1n);
  assertEquals(set.mid, 4_000_000n);
  assertEquals((await record("simulated", 4_000_000n)).number, null);
  assertEquals((await record("feed", 4_000_000n)).number, null);
  assertEquals((await makeQuote("buy", 5_000_000n, set.number)).total, 201_503n);
  for (const price of [null, 1n, set.number! + 1n]) {
    assertEquals((await makeQuote("buy", 5_000_000n, price)).result, "price_unavailable");
  }
  for (const gold of [0n, -5_000_000n]) {
    assertEquals((await makeQuote("buy", gold, set.number)).result, "amount_below_minimum");
  }
  await setFixedPrice(database, 4_100_000n);
  assertEquals((await makeQuote("buy", 5_000_000n, set.number)).result, "price_unavailable");
  await setFixedPrice(database, 4_000_000n);
  assertEquals(await reconcile(database), []);
});

test("the call of the release before makes quotes at the same terms, and no others (D88)", async () => {
  const make = (side: string, gold: bigint, price: bigint, fee: bigint, total: bigint) => {
    const id = crypto.randomUUID();
    return app.sql<{ result: string }[]>`
      select result from make_quotes(array[${bank.partnerId}::integer], array[${id}::uuid],
        array[${id}], '{x}', array[${side}], array[${gold}::bigint], array[${price}::bigint],
        array[${fee}::bigint], '{0}', '{0}', array[${total}::bigint], '{NULL}',
        array[${Date.now()}::bigint], '{1000}')`;
  };
  const honest = [["buy", 4_020_000n, 201_503n], ["sell", 3_980_000n, 198_502n]] as const;
  for (const [side, price, total] of honest) {
    const fee = side === "buy" ? 503n : 498n;
    const [row] = await make(side, 5_000_000n, price, fee, total);
    assertEquals(row!.result, "created");
    const refused: [bigint, bigint, bigint][] = [
      [price, fee, total + 1n],
      [price, fee, total - 1n],
      [price, fee - 1n, total],
      [price - 1n, fee, total],
    ];
    for (const terms of refused) {
      await assertRejects(() => make(side, 5_000_000n, ...terms), Error, "do not follow");
    }
  }
  // Five grams for a halala, and 0.01 g for ten milliards.
  const mints = [["buy", 5_000_000n, 1n], ["sell", 10_000n, 999_999_999_999n]] as const;
  for (const [side, gold, total] of mints) {
    await assertRejects(() => make(side, gold, 4_020_000n, 0n, total), Error, "do not follow");
  }
});

test("a feed's price is bounded, is not old, and jumps no faster than answers can agree (D88)", async () => {
  const { sql } = database;
  const before = async (mid: bigint, seconds: number) => {
    await byForce(
      database,
      "delete from prices",
      `insert into prices select (extract(epoch from t) * 1000)::bigint * 1000, ${mid}, t, t, 'feed'
        from (select now() - interval '${seconds} seconds' as t) n`,
    );
  };
  await sql`update price_settings set source = 'feed', configuration = '{"least": "100", "most": "5000",
    "max_age_ms": 15000, "agreeing": 3, "poll_ms": 2000, "max_jump": "0.03"}'`;
  await before(4_000_000n, 3);
  for (const mid of [999_999n, 50_000_001n, 4_120_001n, 3_879_999n]) {
    assertEquals((await record("feed", mid)).number, null, String(mid));
  }
  assertEquals((await record("feed", 4_000_000n, 15_500)).number, null);
  assertEquals((await record("feed", 4_000_000n, -5_000)).number, null);
  const near = await record("feed", 4_120_000n);
  assertEquals(near.mid, 4_120_000n);
  // Whatever it says in this second, and in the next.
  for (let mid = 4_120_000n; mid < 6_000_000n; mid += 100_000n) await record("feed", mid);
  const [most] = await sql`select max(mid_ten_thousandths) as mid from prices`;
  assertEquals(most!["mid"], 4_120_000n);
  await before(4_000_000n, 7);
  const far = await record("feed", 4_500_000n);
  assertEquals(far.mid, 4_500_000n);
  assertEquals((await makeQuote("sell", 5_000_000n, far.number)).result, "created");
  await before(4_000_000n, 16);
  const [old] = await sql<{ number: bigint }[]>`select price_number as number from prices`;
  assertEquals((await makeQuote("sell", 5_000_000n, old!.number)).result, "price_unavailable");
  await sql`update price_settings set paused = true`;
  assertEquals((await record("feed", 4_000_000n)).number, null);

  await sql`update price_settings set paused = false, source = 'simulated', configuration = '{}'`;
  await byForce(database, "delete from prices");
  for (const mid of [4_752_999n, 4_947_001n]) {
    assertEquals((await record("simulated", mid)).number, null);
  }
  const simulated = await record("simulated", 4_850_000n);
  assertEquals((await makeQuote("buy", 5_000_000n, simulated.number)).result, "created");
  await sql.begin(async (tx) => {
    await tx`insert into deployment (environment, data_version) values ('production', 1)`;
    const [kept] = await tx<{ number: bigint | null }[]>`
      select record_price('simulated', 4850000, ${Date.now()}::bigint) as number`;
    assertEquals(kept!.number, null);
    await tx`delete from deployment`;
  });
});

test("the functions that a server may call change no past row, whatever their arguments", async () => {
  const { partnerId } = bank;
  const past = () =>
    database.sql`select md5(string_agg(t::text, '' order by t::text)) as all from (
      select t::text from transfers t union all select o::text from orders o
      union all select q::text from quotes q union all select e::text from events e
      union all select w::text from withdrawals w union all select a::text from accounts a
      union all select w::text from webhook_attempts w union all select n::text from nonces n union all select p::text from partners p) t`;
  const before = await past();
  const uuid = crypto.randomUUID();
  const partnerIds = plainArray([partnerId]);
  const withdraw = (amount: bigint) =>
    app.sql`select * from place_withdrawals(${partnerIds}::integer[], ${plainArray([uuid])}::uuid[],
      ${plainArray([uuid])}::uuid[], ${textArray(["key"])}::text[], ${textArray(["x"])}::text[],
      ${plainArray([amount])}::bigint[], ${textArray(["SA0000000000000000000000"])}::text[],
      ${textArray([null])}::text[])`;
  const fund = (amount: bigint) =>
    app.sql`select * from fund_sandbox(${partnerIds}::integer[], ${plainArray([uuid])}::uuid[],
      ${plainArray([uuid])}::uuid[], ${textArray(["key"])}::text[], ${textArray(["x"])}::text[],
      ${plainArray([amount])}::bigint[])`;
  const codes: (string | undefined)[] = [];
  const attempt = (statement: PromiseLike<unknown>) =>
    statement.then(() => codes.push("done"), (error: { code?: string }) => codes.push(error.code));
  for (const amount of [-1n, 0n]) {
    await attempt(withdraw(amount));
    await attempt(fund(amount));
  }
  await database.sql`insert into deployment (environment, data_version) values ('production', 1)`;
  await attempt(fund(100n));
  await attempt(app.sql`select simulate_giveaway(${partnerId}::integer, ${uuid}, 1)`);
  await attempt(
    app.sql`select simulate_old_quote(${partnerId}::integer, ${uuid}, ${uuid}, 'k', 'p')`,
  );
  await attempt(
    app.sql`select simulate_withdrawal(${partnerId}::integer, ${uuid}, 'completed', null,
    now(), ${uuid}, '{}')`,
  );
  assertEquals(codes, ["23514", "23514", "23514", "23514", "P0001", "P0001", "P0001", "P0001"]);
  // A partner whose balances are right is not suspended, and a retention of none frees no nonce.
  await app.sql`select suspend_for_balances(${partnerId}::integer, '{}')`;
  await app.sql`select maintain_nonce_partitions(-99999999999)`;
  await app.sql`select maintain_attempt_partitions(-999999), maintain_price_partitions(-999999)`;
  // Names in front of the schema lead nowhere: the functions do not look there.
  await app.sql.begin(async (tx) => {
    await tx`set local search_path = pg_temp, pg_catalog`;
    await tx`select public.take_balance_round(0)`;
  });
  assertEquals(await past(), before);

  // What it may do is what it is for; and the money goes where the register says.
  await withdraw(100n);
  const [made] = await database.sql<{ iban: string }[]>`
    select iban from withdrawals where withdrawal_id = ${uuid}`;
  const [registered] = await database.sql<{ iban: string }[]>`
    select settlement_iban as iban from partners where partner_id = ${partnerId}`;
  assertEquals(made, registered);
});
