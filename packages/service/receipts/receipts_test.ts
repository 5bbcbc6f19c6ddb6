import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { compactVerify, importJWK } from "jose";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestSecrets } from "../../../test/support/test_admin.ts";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { ensureReceiptKey, readReceiptKeys, renewReceiptKey } from "@sabika/identity/receipts";
import { type Order, parseId, verifyReceipt } from "@sabika/protocol";
import { readListedBars, readVersionInForce, writeVersion } from "@sabika/service/vault";
import { readLastCounts } from "../vault/last_counts.ts";
import { createReceiptFinder } from "./find_receipt.ts";
import { makeReceipts } from "./make_receipts.ts";
import { readRecountedOrders } from "./order_facts.ts";
import { readReceiptLag } from "./receipt_lag.ts";
import { createReceiptSigner, SignerAwayError } from "./receipt_signer.ts";

const { database, app, trading, reading, close } = await openTestMarket();
after(close);
const secrets = await openTestSecrets(database);
let clock = 0;
/** A minute passes between two looks at the clock: no signer is left alone after a failure. */
const minutes = () => clock += 60_000;
const signer = () => createReceiptSigner({ control: app, secrets, now: minutes });
const find = createReceiptFinder({ reading: app, making: { database: app, signer: signer() } });

const uuidOf = (order: Order) => parseId("ord", order.id)!;
const ask = (bank: TestPartner, order: Order) =>
  find({ partnerId: bank.partnerId, orderId: uuidOf(order) });
const rich = () => admitTestPartner(database, { cashHalalas: 100_000_00n });

async function makeAll(): Promise<void> {
  for (const one = signer(); await makeReceipts(app, one, 3););
}

async function receiptOf(bank: TestPartner, order: Order): Promise<string> {
  const found = await ask(bank, order);
  assert(found?.state === "made");
  return found.jws;
}

async function count(bank: TestPartner): Promise<number> {
  const [row] = await database.sql<{ n: number }[]>`
    select count(*)::integer as n from receipts where partner_id = ${bank.partnerId}::integer`;
  return row!.n;
}

test("while there is no key an order's receipt is pending; then it is made, once", async () => {
  const bank = await rich();
  const order = await trade(trading, bank);
  assertEquals(await ask(bank, order), { state: "pending" });
  await assertRejects(() => makeReceipts(app, signer()), SignerAwayError);
  await ensureReceiptKey({ database, secrets, nowMs: Date.now() });
  await makeAll();
  const jws = await receiptOf(bank, order);
  assertEquals(await receiptOf(bank, order), jws);
  assertEquals(await count(bank), 1);
});

test("a receipt is verified with the order, the signed request and the bars, and by jose", async () => {
  const bank = await rich();
  const order = await trade(trading, bank);
  const jws = await receiptOf(bank, order);
  const published = await readReceiptKeys(app.sql);
  const version = (await readVersionInForce(app.sql, "main"))!;
  const bars = writeVersion(version, await readListedBars(app.sql, version));
  const { requests: [request] } = (await reading.orderEvidence({
    partnerId: bank.partnerId,
    orderId: uuidOf(order),
  }))!;
  const verified = await verifyReceipt({ jws, keys: published, order, request, bars });
  assertEquals(verified.faults, []);
  assertEquals(verified.holds.length, 7);
  const key = published.find(({ validUntilMs }) => validUntilMs === null)!;
  const jwk = await importJWK({ kty: "EC", crv: "P-256", x: key.x, y: key.y }, "ES256");
  const { payload, protectedHeader } = await compactVerify(jws, jwk, { algorithms: ["ES256"] });
  assertEquals({ ...protectedHeader }, { alg: "ES256", kid: key.keyId, typ: "sabika-receipt" });
  const read = JSON.parse(new TextDecoder().decode(payload));
  assertEquals([read.order_id, read.gold_ug, read.pool.version, read.count], [
    order.id,
    "1000000",
    version.number,
    null,
  ]);
});

test("the worker makes the receipts of several partners in turn, and goes past what has none", async () => {
  await makeAll();
  const banks = await Promise.all([rich(), rich()]);
  const orders: [TestPartner, Order][] = [];
  for (const bank of banks) {
    await trading.fund(bank.fund(100n));
    for (let n = 0; n < 4; n++) orders.push([bank, await trade(trading, bank)]);
  }
  const sinceMs = await readReceiptLag(app.sql);
  assert(sinceMs !== undefined && sinceMs <= orders[0]![1].executedAtMs);
  for (let turn = 1, one = signer(); turn <= 3; turn++) {
    for (const _ of banks) await makeReceipts(app, one, 1);
    const [first, second] = await Promise.all(banks.map(count));
    assertEquals(first, second, `receipts after the turn ${turn} of both`);
  }
  await makeAll();
  assertEquals(await readReceiptLag(app.sql), undefined);
  assertEquals(await Promise.all(banks.map(count)), [4, 4]);
});

test("a worker that dies between insert and commit leaves nothing; the next one makes the receipt", async () => {
  const bank = await rich();
  const order = await trade(trading, bank);
  // It dies in the transaction that keeps the receipt, just before the commit.
  await byForce(
    database,
    `create function die() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$`,
    "create constraint trigger dying after insert on receipt_marks deferrable initially deferred " +
      "for each row execute function die()",
  );
  await assertRejects(() => makeReceipts(app, signer()), Error, "died");
  await byForce(database, "drop trigger dying on receipt_marks");
  assertEquals(await count(bank), 0);
  const first = await receiptOf(bank, order);
  await makeAll();
  assertEquals(await receiptOf(bank, order), first);
});

test("many who ask at once, and the worker, get one receipt", async () => {
  const bank = await rich();
  const order = await trade(trading, bank);
  const [_, ...all] = await Promise.all([
    makeReceipts(app, signer()),
    ...Array.from({ length: 8 }, () => receiptOf(bank, order)),
  ]);
  assertEquals(new Set(all).size, 1);
});

test("after a rotation old receipts are valid, and orders of before are signed with the new key", async () => {
  const bank = await rich();
  const [early, late] = [await trade(trading, bank), await trade(trading, bank)];
  const old = await receiptOf(bank, early);
  await database.sql.begin((sql) => renewReceiptKey(sql, secrets, Date.now()));
  const published = await readReceiptKeys(app.sql);
  assertEquals(published.length, 2);
  const receipts = [old, await receiptOf(bank, late)];
  for (const jws of receipts) {
    assertEquals((await verifyReceipt({ jws, keys: published })).faults, []);
  }
  assert(receipts[0]!.split(".")[0] !== receipts[1]!.split(".")[0]);
});

test("a sale has a receipt, and that of the buy before it stays as it was", async () => {
  const bank = await rich();
  const buy = await trade(trading, bank);
  const before = await receiptOf(bank, buy);
  const sale = await trade(trading, bank, "sell");
  const jws = await receiptOf(bank, sale);
  const published = await readReceiptKeys(app.sql);
  const { faults, receipt } = await verifyReceipt({ jws, keys: published, order: sale });
  assertEquals([faults, receipt?.share.partnerMicrograms], [[], 0n]);
  assertEquals(await receiptOf(bank, buy), before);
});

test("the last count of the whole vault before the order is named, with the version that it counted", async () => {
  const bank = await rich();
  const version = (await readVersionInForce(app.sql, "main"))!;
  const atMs = Date.now() + 1;
  await byForce(
    database,
    `insert into vault_counts values (gen_random_uuid(), null, to_timestamp(${
      atMs / 1000
    }), 'custodian')`,
    `insert into vault_counts values (gen_random_uuid(), null, now() + interval '1 day', 'later')`,
  );
  while (Date.now() <= atMs);
  const order = await trade(trading, bank);
  const { receipt } = await verifyReceipt({
    jws: await receiptOf(bank, order),
    keys: await readReceiptKeys(app.sql),
  });
  assertEquals(receipt?.count, { version: version.number, atMs, by: "custodian" });
  const countAt = await readLastCounts(app.sql, { fromMs: atMs - 1, toMs: atMs });
  assertEquals([atMs - 1, atMs].map((ms) => countAt("main", ms)?.atMs === atMs), [false, true]);
});

test("orders are recounted once each, whatever a page holds", async () => {
  const banks = [await rich(), await rich()] as const;
  // The first partner's last order is newer than the second's.
  for (const n of [0, 1, 0] as const) await trade(trading, banks[n]);
  const all = await database.sql<{ id: string }[]>`
    select order_id as id from orders order by partner_id, order_id`;
  for (const limit of [1, 2, 3, all.length - 1, all.length, 1_000]) {
    const read: string[] = [];
    for await (const page of readRecountedOrders(database.sql, { isSince: false }, limit)) {
      read.push(...page.map(({ orderId }) => orderId));
    }
    assertEquals(read, all.map(({ id }) => id), `pages of ${limit}`);
  }
});

test("an order of before receipts has none; one that nobody has is not found", async () => {
  const [bank, other] = [await rich(), await rich()];
  const order = await trade(trading, bank);
  await byForce(
    database,
    `update orders set pool_version_id = null where order_id = '${uuidOf(order)}'`,
  );
  assertEquals(await ask(bank, order), { state: "none" });
  assertEquals(await ask(other, order), undefined);
  await makeAll();
  assertEquals(await ask(bank, order), { state: "none" });
});

test("an altered order is found by the receipt that its partner kept", async () => {
  const bank = await rich();
  const order = await trade(trading, bank);
  const jws = await receiptOf(bank, order);
  const id = uuidOf(order);
  await byForce(
    database,
    `update orders set total_halalas = total_halalas + 1 where order_id = '${id}'`,
  );
  const altered = (await reading.getOrder({ partnerId: bank.partnerId, orderId: id }))!;
  const published = await readReceiptKeys(app.sql);
  const { faults } = await verifyReceipt({ jws, keys: published, order: altered });
  assertEquals(faults, ["order_differs"]);
});
