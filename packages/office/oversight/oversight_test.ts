import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Order, parseId } from "@sabika/protocol";
import { openDatabase } from "@sabika/database";
import { listAudit } from "@sabika/service/audit";
import { closeEvidenceDays, dropEvidence } from "@sabika/service/evidence";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { openTestTrading, value } from "../../../test/support/test_market.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { findOrder } from "./find_order.ts";
import { findOrdersBack } from "./find_orders_back.ts";
import { listPartners } from "./list_partners.ts";
import { listTrades } from "./list_trades.ts";
import { recountEvidence } from "./recount_evidence.ts";
import { recountEvidenceDays } from "./recount_evidence_days.ts";
import { readTradeStory } from "./trade_story.ts";
import { createTradedHours, HOUR_MS } from "./traded_hours.ts";

const testDatabase = await openTestDatabase();
/** Connected as the console is, with the operator's role. */
const banks: TestPartner[] = [];
const orders: Order[] = [];
const keys: string[] = [];

const database = openDatabase(testDatabase.urlAs("sabika_operator"), { maxConnections: 2 });
const trading = await openTestTrading(testDatabase);
for (let n = 0; n < 2; n++) {
  const rich = { cashHalalas: 1_000_000_00n, goldMicrograms: 100_000_000n };
  banks.push(await admitTestPartner(testDatabase.database, rich));
}
for (const side of ["buy", "sell", "buy"] as const) {
  for (const bank of banks) {
    const quote = value(await trading.quote(bank.quote({ side })));
    const order = bank.order(quote.id);
    keys.push(order.idempotencyKey);
    orders.push(value(await trading.order(order)));
  }
}
after(async () => {
  await database.close();
  await testDatabase.close();
});

const idsOf = ({ data }: Awaited<ReturnType<typeof listTrades>>) => data.map(({ id }) => id);
const uuidOf = (order: Order) => parseId("ord", order.id)!;

test("the orders of all partners are one list, newest first, page by page", async () => {
  const newest = orders.map(({ id }) => id).sort().reverse();
  const first = await listTrades(database, { limit: 4 });
  assertEquals([idsOf(first), first.next], [newest.slice(0, 4), newest[3]]);
  const before = parseId("ord", first.data.at(-1)!.id);
  const second = await listTrades(database, { limit: 4, before });
  assertEquals([idsOf(second), second.next], [newest.slice(4), undefined]);
});

test("the list is narrowed to a partner, a side and a period", async () => {
  const [bank] = banks;
  const partners = await listPartners(database);
  const { clientId } = partners.find(({ partnerId }) => partnerId === bank!.partnerId)!;
  const trades = await listTrades(database, { limit: 10, clientId });
  assertEquals(idsOf(trades), [orders[4], orders[2], orders[0]].map((order) => order!.id));
  assertEquals(trades.data.map((trade) => trade.clientId), [clientId, clientId, clientId]);
  const sales = await listTrades(database, { limit: 10, clientId, side: "sell" });
  assertEquals(idsOf(sales), [orders[2]!.id]);
  const endMs = orders.at(-1)!.executedAtMs;
  const period = { fromMs: endMs + 1, toMs: endMs + HOUR_MS };
  assertEquals(idsOf(await listTrades(database, { limit: 10, ...period })), []);
  const whole = { fromMs: orders[0]!.executedAtMs, toMs: endMs + 1 };
  assertEquals(idsOf(await listTrades(database, { limit: 10, ...whole })).length, orders.length);
});

test("an order is found by its id, its quote, its event and its key, and by nothing else", async () => {
  const [, , order] = orders;
  const story = await readTradeStory(database, {
    orderId: uuidOf(order!),
    environment: "sandbox",
    nowMs: Date.now(),
  });
  const expected = { partnerId: banks[0]!.partnerId, orderId: uuidOf(order!) };
  for (const text of [order!.id, order!.quoteId, story!.event!.id, keys[2]!]) {
    assertEquals(await findOrder(database, text), expected, text);
  }
  for (const text of ["", "no-such-key", "a\0b", `ord_${crypto.randomUUID()}`, "x".repeat(300)]) {
    assertEquals(await findOrder(database, text), undefined, text);
  }
});

test("a trade's story has its quote, two transfers and its event, and every check holds", async () => {
  for (const order of [orders[0]!, orders[2]!]) {
    const story = await readTradeStory(database, {
      orderId: uuidOf(order),
      environment: "sandbox",
      nowMs: Date.now(),
    });
    assert(story !== undefined);
    assertEquals([story.trade.id, story.quote?.id], [order.id, order.quoteId]);
    assertEquals(story.balancesAfter, order.balances);
    assertEquals(story.requests.map(({ body }) => body), [`{"quote_id":"${order.quoteId}"}`]);
    assertEquals([story.price?.source, story.price?.midPriceTenThousandths], ["fixed", 4_000_000n]);
    assertEquals(story.transfers.map(({ asset }) => asset), ["SAR", "XAU"]);
    assertEquals(story.event?.type, "order.executed");
    assertEquals(story.event?.delivery?.status, "pending");
    assertEquals(story.attempts, []);
    assertEquals(Object.values(story.checks), [true, true, true, true]);
    assert(story.receivedAtMs <= order.executedAtMs);
  }
});

test("a trade whose rows were changed fails the checks about them", async () => {
  const orderId = uuidOf(orders[1]!);
  await byForce(
    testDatabase.database,
    `update transfers set amount = amount + 1 where source_id = '${orderId}' and asset = 'XAU'`,
    `update quotes set fee_halalas = fee_halalas + 1 where quote_id = '${
      parseId("qt", orders[1]!.quoteId)
    }'`,
  );
  const query = { orderId, environment: "sandbox", nowMs: Date.now() } as const;
  assertEquals((await readTradeStory(database, query))!.checks, {
    terms_are_the_quotes: false,
    in_the_quotes_time: true,
    money_and_gold_moved_once: false,
    event_was_written: true,
  });
});

test("trades are added up by the hour, and an hour that is over is remembered", async () => {
  const nowMs = Date.now();
  const tradedHours = createTradedHours(() => Promise.resolve([database]));
  const sum = (hours: Awaited<ReturnType<typeof tradedHours>>, side: string) =>
    hours.filter((hour) => hour.side === side).reduce((sums, hour) => ({
      orders: sums.orders + hour.orders,
      gold: sums.gold + hour.goldMicrograms,
      total: sums.total + hour.totalHalalas,
      margin: sums.margin + hour.marginHalalas,
    }), { orders: 0, gold: 0n, total: 0n, margin: 0n });
  const hours = await tradedHours(24, nowMs);
  // A gram costs 402.00, of which 2.00 are the spread, and a fee of 1.01.
  assertEquals(sum(hours, "buy"), {
    orders: 4,
    gold: 4_000_000n,
    total: 4n * 403_01n,
    margin: 4n * 3_01n,
  });
  assertEquals(sum(hours, "sell").orders, 2);
  const laterMs = nowMs + 2 * HOUR_MS;
  assertEquals(await tradedHours(24, laterMs), hours);
  assertEquals(await tradedHours(24, laterMs), hours);
  assertEquals(await tradedHours(1, laterMs), []);
});

test("an order without its evidence, with another's or with a changed one is found", async () => {
  const owner = testDatabase.database;
  const faults = async (whole = true) =>
    (await recountEvidence({ control: database, cell: database, whole })).map(({ subject }) =>
      subject.replace(/^order ord_\S+: /, "")
    );
  const [mine, theirs] = [uuidOf(orders[0]!), uuidOf(orders[2]!)];
  const changed = async (column: string, value: string, id = mine) => {
    const set = (to: string) => `update evidence set ${column} = ${to} where evidence_id = '${id}'`;
    await byForce(
      owner,
      `create table kept as select ${column} as value from evidence
      where evidence_id = '${id}'`,
      set(value),
    );
    const found = await faults();
    await byForce(owner, set("(select value from kept)"), "drop table kept");
    return found;
  };
  const withdrawal = value(await trading.withdraw(banks[1]!.withdraw(20_00n)));
  value(await trading.cancelWithdrawal(banks[1]!.cancel(withdrawal.id)));
  assertEquals(await faults(), []);
  const of = (column: string, id: string) =>
    `(select ${column} from evidence where evidence_id = '${id}')`;
  const cases = [
    ["body", of("body", theirs), "wrong_body"],
    ["body", "body || ' '", "wrong_signature"],
    ["body", "'{'", "wrong_body"],
    ["signature", of("signature", theirs), "wrong_signature"],
    ["signature", "'a..b'", "wrong_signature"],
    ["nonce", "nonce || 'x'", "wrong_signature"],
    ["url", "'/v1/orders'", "wrong_signature"],
    ["url", "replace(url, 'orders', 'quotes')", "wrong_url"],
    ["timestamp_seconds", "timestamp_seconds + 1", "wrong_signature"],
    ["timestamp_seconds", "timestamp_seconds + 301", "wrong_time"],
    ["key_id", "'another'", "unknown_key"],
  ] as const;
  for (const [column, text, fault] of cases) {
    assertEquals(await changed(column, text), [fault], `${column} = ${text}`);
  }
  const end = (when: string) => byForce(owner, `update signing_keys set valid_until = ${when}`);
  await end("now() - interval '1 hour'");
  assertEquals((await faults()).every((fault) => fault.endsWith("key_not_valid")), true);
  await end("null");

  // Since the last recount without a fault only what is new is verified.
  await byForce(owner, "update evidence_marks set verified_until = now() + interval '1 hour'");
  await byForce(
    owner,
    `update orders set client_reference = 'invented' where order_id = '${mine}'`,
  );
  assertEquals([await faults(false), await faults()], [[], ["wrong_body"]]);
  await byForce(owner, `update orders set client_reference = null where order_id = '${mine}'`);
  await byForce(
    owner,
    `insert into orders select partner_id, (left(order_id::text, 24) || '000000000000')::uuid,
    gen_random_uuid(), gold_micrograms, price_ten_thousandths, fee_halalas, vat_halalas, total_halalas,
    cash_after_halalas, gold_after_micrograms, executed_at, side from orders where order_id = '${mine}'`,
  );
  assertEquals(await faults(), ["missing"]);
});

test("the hash of a day's evidence is in the audit log, and outlives the evidence", async () => {
  const owner = testDatabase.database;
  const DAY_MS = 86_400_000;
  await byForce(owner, "update schema_steps set applied_at = applied_at - interval '4 days'");
  const received = { receivedAtMs: Date.now() - 2 * DAY_MS };
  for (const bank of banks) {
    const quote = value(await trading.quote(bank.quote()));
    value(await trading.order(bank.order(quote.id, received)));
  }
  const day = new Date(received.receivedAtMs + 3 * 3_600_000).toISOString().slice(0, 10);
  const books = { control: database, openCell: () => Promise.reject(new Error("no cell")) };
  const found = async () => (await recountEvidenceDays(books)).map(({ subject }) => subject);
  const close = () =>
    closeEvidenceDays({ control: testDatabase.app, cells: [testDatabase.app] }, Date.now());
  // A partner that moved has left its row of a day that the other cells had yet to close.
  await byForce(owner, `insert into evidence_days values (999, '${day}', 7, 'of another cell')`);
  await Promise.all([close(), close()]);
  const entries = (await listAudit(database.sql, { limit: 10 })).filter(({ action }) =>
    action === "evidence.closed"
  );
  assertEquals(entries.map(({ detail }) => [detail["day"], detail["requests"]]), [[day, 2]]);
  assertEquals(await found(), []);

  const mine = `where partner_id = ${banks[0]!.partnerId} and evidence_id < first_id_at(${
    received.receivedAtMs + 1
  })`;
  await byForce(owner, `update evidence set nonce = nonce || 'x' ${mine}`);
  assertEquals(await found(), [`day ${day}: changed`]);
  await byForce(owner, `update evidence set nonce = left(nonce, -1) ${mine}`);
  assertEquals(await found(), []);
  const [kept] = await owner.sql<{ hash: Uint8Array }[]>`select hash from hash_evidence(${
    banks[0]!.partnerId
  }::integer, ${day}::text::date)`;
  assertEquals(kept!.hash.length, 32);
  // Somebody takes an order away and makes the hash fit: the log says otherwise.
  await byForce(
    owner,
    `delete from evidence ${mine}`,
    `delete from evidence_days where partner_id = ${banks[0]!.partnerId}`,
  );
  assertEquals(await found(), [`day ${day}: not as the audit log says`]);

  // Months whose days are closed go when they are older than the retention.
  await owner.sql`select ensure_evidence_partition(${BigInt(Date.now() - 800 * DAY_MS)})`;
  const months = async () =>
    (await owner.sql`select inhrelid from pg_inherits where inhparent = 'evidence'::regclass`)
      .length;
  const before = await months();
  await dropEvidence(testDatabase.app.sql, 900);
  assertEquals(await months(), before);
  await dropEvidence(testDatabase.app.sql, 1);
  assertEquals(await months(), before - 1);
});

test("a search of orders by amount that takes long says how far it came, and goes on from there", async () => {
  const search = { text: "no reference", amount: String(orders[0]!.totalHalalas), limit: 20 };
  const found = orders.filter(({ totalHalalas }) => totalHalalas === orders[0]!.totalHalalas)
    .map(({ id }) => id).sort().reverse();
  const laterMs = Date.now() + 5 * HOUR_MS;
  let calls = 0;
  const slow = { ...search, now: () => laterMs + 50 * calls++, backToMs: laterMs - 24 * HOUR_MS };
  const first = await findOrdersBack(database, slow);
  assertEquals(first, { hits: [], sinceMs: laterMs - HOUR_MS });
  const quick = { ...search, now: () => laterMs, backToMs: slow.backToMs };
  for (const from of [{ beforeMs: first.sinceMs }, {}]) {
    const { hits, sinceMs } = await findOrdersBack(database, { ...quick, ...from });
    // A test before left an order of its own.
    const ids = hits.map(({ id }) => id).filter((id) => orders.some((order) => order.id === id));
    assertEquals([ids, sinceMs], [found, undefined]);
  }
});
