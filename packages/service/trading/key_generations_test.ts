import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Order } from "@sabika/protocol";
import { codeOf, openTestMarket, trade, value } from "../../../test/support/test_market.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import type { OrderCommand } from "../batches/commands.ts";
import { digestKeys } from "../idempotency/digest_keys.ts";

const { database, app, trading, reading, close } = await openTestMarket();
const { sql } = database;
after(close);

const admit = () => admitTestPartner(database, { cashHalalas: 100_000_000n });

const quote = async (bank: TestPartner, idempotencyKey: string = crypto.randomUUID()) =>
  value(await trading.quote(bank.quote({}, { idempotencyKey })));

/** As if the partner had made so many keys more. */
async function age({ partnerId }: TestPartner, keys: bigint): Promise<void> {
  await sql`update accounts set last_key = last_key + ${keys} where partner_id = ${partnerId}`;
}

/** Sends an order again under another nonce, which must show what was made first. */
async function isReplayed(bank: TestPartner, command: OrderCommand, first: Order): Promise<void> {
  const again = await trading.order({ ...command, nonce: bank.order("qt_").nonce });
  assertEquals(again, { ok: true, replayed: true, value: first });
}

/** The generation of each of the partner's keys, in the order of their making. */
async function generations({ partnerId }: TestPartner): Promise<number[]> {
  const rows = await sql<{ generation: number }[]>`
    select generation from trade_keys where partner_id = ${partnerId} order by generation`;
  return rows.map((row) => row.generation);
}

test("the number of generations grows with the square root of a partner's keys", async () => {
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
  const first = value(await trading.order(command));
  await age(bank, 750_000n);
  await isReplayed(bank, command, first);

  const other = bank.order((await quote(bank)).id, { idempotencyKey, parameters: "others" });
  assertEquals(codeOf(await trading.order(other)), "idempotency_key_conflict");
  value(await trading.order(bank.order(other.request.quoteId)));
  assertEquals(await generations(bank), [1, 1, 6, 6]);

  const { partnerId } = bank;
  const known = await trading.findIdempotencyKey({ partnerId, idempotencyKey });
  assertEquals(known?.resourceId, first.id);
  const listed = await reading.listOrders({ partnerId, limit: 10, idempotencyKey });
  assertEquals(listed.ok && listed.page.data.map((order) => order.id), [first.id]);
});

test("keys of complete generations are digested, and are still found", async () => {
  const bank = await admit();
  const { partnerId } = bank;
  const command = bank.order((await quote(bank)).id);
  const first = value(await trading.order(command));
  await digestKeys(app);
  assertEquals(await digests(partnerId), 0);
  await age(bank, 250_000n);
  assertEquals(await digestKeys(app) % 16, 0);
  assertEquals([await digests(partnerId), await digestKeys(app)], [2, 0]);
  await trade(trading, bank);
  await isReplayed(bank, command, first);
  assertEquals(await generations(bank), [1, 1, 2, 2]);
  // Digesting and looking up use the same bytes of the key.
  const [row] = await sql<{ missing: number }[]>`
    select count(*)::int as missing from trade_keys k where partner_id = ${partnerId}
      and generation = 1 and not exists (select from key_digests d
        where d.partner_id = k.partner_id and d.bucket = key_bucket(k.key_hash)
          and key_digest(k.key_hash) = any (d.digests))`;
  assertEquals(row!.missing, 0);
});

test("every key is known at each step of the digesting", async () => {
  await digestKeys(app);
  const bank = await admit();
  const { partnerId } = bank;
  for (const keys of [250_000n, 50_000n, 0n]) {
    for (let n = 0; n < 4; n++) await quote(bank);
    await age(bank, keys);
  }
  assertEquals([...new Set(await generations(bank))], [1, 2, 3]);
  // The first and the last key of each sixteenth, of each generation others.
  await sql`
    insert into trade_keys (partner_id, generation, key_hash, fingerprint, resource_id, created_at, resource_kind)
    select partner_id, generation,
      decode(to_hex(n) || repeat(e, 30) || case generation when 1 then e else generation::text end, 'hex'),
      fingerprint, gen_random_uuid(), created_at, resource_kind
    from (select distinct on (generation) * from trade_keys where partner_id = ${partnerId}) k,
      generate_series(0, 15) n, unnest('{0,f}'::text[]) e`;
  for (let parts = 0; parts <= 32; parts++) {
    const [row] = await sql<{ parts: number; unknown: number }[]>`
      select digested_parts as parts, (select count(*)::int from trade_keys k
        where k.partner_id = ${partnerId} and not exists (
          select from known_key(${partnerId}, k.key_hash))) as unknown
      from accounts where partner_id = ${partnerId}`;
    assertEquals({ ...row }, { parts, unknown: 0 });
    const [{ more }] = await sql<[{ more: boolean }]>`select digest_keys() as more`;
    // What is not complete is not digested.
    assertEquals(more, parts < 32);
  }
  assertEquals(await digests(partnerId), 2 * (4 + 32));
});

test("bucket and digest of a key are those that earlier releases have stored", async () => {
  const rows = await sql<{ bucket: number; digest: number }[]>`
    select key_bucket(decode(h, 'hex')) as bucket, key_digest(decode(h, 'hex')) as digest
    from unnest('{0102030405060708090a0b0c0d0e0f10,fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0}'::text[]) h`;
  assertEquals(rows.map(({ bucket, digest }) => [bucket, digest]), [
    [0x0102, 0x03040506 - 2 ** 31],
    [0xfffe, 0xfdfcfbfa - 2 ** 31],
  ]);
});

test("a key is its partner's own, of every kind and however old", async () => {
  const banks = [await admit(), await admit()] as const;
  const [quoted, funded] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const bank of banks) {
    const made = await trading.quote(bank.quote({}, { idempotencyKey: quoted }));
    const paid = await trading.fund(bank.fund(100n, { idempotencyKey: funded }));
    assertEquals([made, paid].map((outcome) => outcome.ok ? outcome.replayed : outcome.code), [
      false,
      false,
    ]);
    await age(bank, 750_000n);
    await digestKeys(app);
  }
});

/** How many digests the partner has. */
async function digests(partnerId: number): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select coalesce(sum(cardinality(digests)), 0)::int as n from key_digests
    where partner_id = ${partnerId}`;
  return row!.n;
}

test("no kind of write accepts a key that a quote or an order has, however old", async () => {
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
  const refused = [withdrawal, funding, redelivery].map(codeOf);
  assertEquals(refused, Array(3).fill("idempotency_key_conflict"));
});

test("keys from before generations stay known, like the keys of other writes", async () => {
  const bank = await admit();
  const { partnerId } = bank;
  const idempotencyKey = crypto.randomUUID();
  const command = bank.order((await quote(bank)).id, { idempotencyKey });
  const first = value(await trading.order(command));
  const columns = "partner_id, key_hash, fingerprint, resource_id, created_at, resource_kind";
  await sql.unsafe(`
    with moved as (delete from trade_keys where partner_id = ${partnerId} returning ${columns})
    insert into idempotency_keys (${columns}) select * from moved`);
  await isReplayed(bank, command, first);
  const withdrawal = await trading.withdraw(bank.withdraw(100n, { idempotencyKey }));
  assertEquals(codeOf(withdrawal), "idempotency_key_conflict");
  await assertRejects(
    () =>
      sql.unsafe(`insert into idempotency_keys (${columns})
        select ${columns} from only idempotency_keys where partner_id = ${partnerId}`),
    Error,
    "idempotency_keys_pk",
  );
});

test("the database refuses a duplicate key in a generation, and a second order on a quote", async () => {
  const bank = await admit();
  await trade(trading, bank);
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
