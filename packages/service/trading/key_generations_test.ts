import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { admitTestPartner, random, type TestPartner } from "../../../test/support/test_partner.ts";
import { digestKeys } from "../idempotency/digest_keys.ts";
import { createFixedPrice } from "../prices/fixed.ts";
import { createReading } from "./create_reading.ts";
import { createTrading } from "./create_trading.ts";

const { database, app, close } = await openTestDatabase();
const { sql } = database;
const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
const trading = createTrading({ database: app, prices, random, now: Date.now });
const reading = createReading({ database: app, environment: "sandbox", now: Date.now });
after(close);

const admit = () => admitTestPartner(database, { cashHalalas: 100_000_000n });

async function quote(bank: TestPartner, idempotencyKey: string = crypto.randomUUID()) {
  const outcome = await trading.quote(bank.quote({}, { idempotencyKey }));
  assert(outcome.ok, "a quote was refused");
  return outcome.value;
}

/** As if the partner had made so many keys more. */
async function age({ partnerId }: TestPartner, keys: bigint): Promise<void> {
  await sql`update accounts set last_key = last_key + ${keys} where partner_id = ${partnerId}`;
}

/** The generation of each of the partner's keys, in the order of their making. */
async function generations({ partnerId }: TestPartner): Promise<number[]> {
  const rows = await sql<{ generation: number }[]>`
    select generation from trade_keys where partner_id = ${partnerId} order by generation`;
  return rows.map((row) => row.generation);
}

test("generations of keys grow with the root of what a partner has made", async () => {
  const rows = await sql<{ generation: number }[]>`
    select key_generation(n) as generation
    from unnest('{0,249999,250000,299999,300000,10000000,100000000}'::bigint[]) as n`;
  assertEquals(rows.map((row) => row.generation), [1, 1, 2, 2, 3, 21, 64]);
});

test("a key of an earlier generation replays its order, conflicts and is found", async () => {
  const bank = await admit();
  const { id } = await quote(bank);
  const idempotencyKey = crypto.randomUUID();
  const command = bank.order(id, { idempotencyKey });
  const first = await trading.order(command);
  await age(bank, 750_000n);
  const { nonce } = bank.order(id);
  const again = await trading.order({ ...command, nonce });
  assert(first.ok && again.ok);
  assertEquals([again.replayed, again.value], [true, first.value]);

  const other = bank.order((await quote(bank)).id, { idempotencyKey, parameters: "others" });
  const refused = await trading.order(other);
  assertEquals([refused.ok, refused.ok || refused.code], [false, "idempotency_key_conflict"]);
  assert((await trading.order(bank.order(other.request.quoteId))).ok);
  assertEquals(await generations(bank), [1, 1, 6, 6]);

  const { partnerId } = bank;
  const known = await trading.findIdempotencyKey({ partnerId, idempotencyKey });
  assertEquals(known?.resourceId, first.value.id);
  const listed = await reading.listOrders({ partnerId, limit: 10, idempotencyKey });
  assert(listed.ok);
  assertEquals(listed.page.data.map((order) => order.id), [first.value.id]);
});

test("keys of generations that are over are digested, and found all the same", async () => {
  const bank = await admit();
  const { partnerId } = bank;
  const command = bank.order((await quote(bank)).id);
  const first = await trading.order(command);
  assert(first.ok);
  await digestKeys(app);
  assertEquals(await digests(partnerId), 0);
  await age(bank, 250_000n);
  assertEquals(await digestKeys(app) % 16, 0);
  assertEquals([await digests(partnerId), await digestKeys(app)], [2, 0]);
  assert((await trading.order(bank.order((await quote(bank)).id))).ok);
  const again = await trading.order({ ...command, nonce: bank.order("qt_x").nonce });
  assert(again.ok);
  assertEquals([again.replayed, again.value], [true, first.value]);
  assertEquals(await generations(bank), [1, 1, 2, 2]);
  // The same bytes are taken for the key by whoever digests and whoever looks.
  const [row] = await sql<{ missing: number }[]>`
    select count(*)::int as missing from trade_keys k where partner_id = ${partnerId}
      and generation = 1 and not exists (select from key_digests d
        where d.partner_id = k.partner_id and d.bucket = key_bucket(k.key_hash)
          and key_digest(k.key_hash) = any (d.digests))`;
  assertEquals(row!.missing, 0);
});

/** How many digests the partner has. */
async function digests(partnerId: number): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select coalesce(sum(cardinality(digests)), 0)::int as n from key_digests
    where partner_id = ${partnerId}`;
  return row!.n;
}

test("no kind of write takes a key that a quote or an order has, however old", async () => {
  const bank = await admit();
  const idempotencyKey = crypto.randomUUID();
  await quote(bank, idempotencyKey);
  assert((await trading.fund(bank.fund(1_000n))).ok);
  await age(bank, 250_000n);
  const withdrawal = await trading.withdraw(bank.withdraw(100n, { idempotencyKey }));
  const funding = await trading.fund(bank.fund(100n, { idempotencyKey }));
  const redelivery = await trading.redeliver({
    ...bank.fund(1n, { idempotencyKey }),
    request: { fromSequence: 1, toSequence: 1 },
  });
  const refused = [withdrawal, funding, redelivery].map((outcome) => outcome.ok || outcome.code);
  assertEquals(refused, Array(3).fill("idempotency_key_conflict"));
});

test("what was written before there were generations stays known, and a lasting key is one", async () => {
  const bank = await admit();
  const { partnerId } = bank;
  const idempotencyKey = crypto.randomUUID();
  const command = bank.order((await quote(bank)).id, { idempotencyKey });
  const first = await trading.order(command);
  const columns = "partner_id, key_hash, fingerprint, resource_id, created_at, resource_kind";
  await sql.unsafe(`
    with moved as (delete from trade_keys where partner_id = ${partnerId} returning ${columns})
    insert into idempotency_keys (${columns}) select * from moved`);
  const again = await trading.order({ ...command, nonce: bank.order("qt_x").nonce });
  assert(first.ok && again.ok);
  assertEquals([again.replayed, again.value], [true, first.value]);
  const withdrawal = await trading.withdraw(bank.withdraw(100n, { idempotencyKey }));
  assertEquals(withdrawal.ok || withdrawal.code, "idempotency_key_conflict");
  await assertRejects(
    () =>
      sql.unsafe(`insert into idempotency_keys (${columns})
        select ${columns} from only idempotency_keys where partner_id = ${partnerId}`),
    Error,
    "idempotency_keys_pk",
  );
});

test("the database itself refuses a key twice in a generation, and a quote's second order", async () => {
  const bank = await admit();
  const { id } = await quote(bank);
  assert((await trading.order(bank.order(id))).ok);
  for (const [table, constraint] of [["trade_keys", "trade_keys_pk"], ["orders", "orders_pk"]]) {
    await assertRejects(
      () =>
        sql.unsafe(`insert into ${table} select * from ${table}
          where partner_id = ${bank.partnerId}`),
      Error,
      constraint,
    );
  }
  await assertRejects(
    () =>
      sql.unsafe(`insert into orders select (o).* from (
        select json_populate_record(o, json_build_object('order_id', '${crypto.randomUUID()}')) as o
        from orders o where partner_id = ${bank.partnerId}) made`),
    Error,
    "orders_quote_unique",
  );
});
