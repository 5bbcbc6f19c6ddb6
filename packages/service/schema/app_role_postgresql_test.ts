import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { plainArray, textArray } from "@sabika/database";
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
  await attempt(
    app.sql`select simulate_old_quote(${partnerId}::integer, ${uuid}, ${uuid}, 'k', 'p')`,
  );
  await attempt(
    app.sql`select simulate_withdrawal(${partnerId}::integer, ${uuid}, 'completed', null,
    now(), ${uuid}, '{}')`,
  );
  assertEquals(codes, ["23514", "23514", "23514", "23514", "P0001", "P0001", "P0001"]);
  // A partner whose balances are right is not suspended, and a retention of none frees no nonce.
  await app.sql`select suspend_for_balances(${partnerId}::integer, '{}')`;
  await app.sql`select maintain_nonce_partitions(-99999999999)`;
  await app.sql`select maintain_attempt_partitions(-999999)`;
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
