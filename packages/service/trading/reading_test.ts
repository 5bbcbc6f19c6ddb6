import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  type Page,
  parseId,
  type SignedEvidence,
  STATEMENT,
  statementToCsv,
} from "@sabika/protocol";
import { riyadhDayEnd } from "@sabika/terms";
import { openTestMarket, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { statementCsvStream, statementJsonStream } from "../ledger/statement_text.ts";
import type { Listing, ListQuery } from "../lists/list_query.ts";
import { createReading } from "./create_reading.ts";

const { database, app, trading, reading, close } = await openTestMarket();
after(close);

function page<T>(listing: Listing<T>): Page<T> {
  assert(listing.ok);
  return listing.page;
}

async function trade(count: number) {
  const bank = await admitTestPartner(database);
  value(await trading.fund(bank.fund(10_000_000n)));
  const orders = [];
  const keys = [];
  for (let n = 0; n < count; n++) {
    const quote = value(await trading.quote(bank.quote()));
    const command = bank.order(quote.id, {
      request: { quoteId: quote.id, clientReference: `n${n}` },
    });
    keys.push(command.idempotencyKey);
    orders.push(value(await trading.order(command)));
  }
  return { bank, orders, keys, partnerId: bank.partnerId };
}

test("a quote reads as open, executed or expired; another partner's reads as unknown", async () => {
  const { bank, orders, partnerId } = await trade(1);
  const used = parseId("qt", orders[0]!.quoteId)!;
  const executed = await reading.getQuote({ partnerId, quoteId: used });
  assertEquals([executed?.status, executed?.orderId], ["executed", orders[0]!.id]);
  const made = value(await trading.quote(bank.quote()));
  const quoteId = parseId("qt", made.id)!;
  assertEquals(await reading.getQuote({ partnerId, quoteId }), made);
  const later = createReading({
    database: app,
    environment: "sandbox",
    now: () => made.expiresAtMs,
  });
  assertEquals((await later.getQuote({ partnerId, quoteId }))?.status, "expired");
  assertEquals(await reading.getQuote({ partnerId: partnerId + 1, quoteId }), undefined);
  const cases = [["open", 1], ["executed", 1], ["expired", 0], ["odd", 0]] as const;
  for (const [status, count] of cases) {
    const listed = page(await reading.listQuotes({ partnerId, limit: 20, status }));
    assertEquals(listed.data.length, count, status);
  }
});

test("an order reads without its balances", async () => {
  const { orders, partnerId } = await trade(1);
  const { balances: _, ...rest } = orders[0]!;
  const orderId = parseId("ord", orders[0]!.id)!;
  assertEquals(await reading.getOrder({ partnerId, orderId }), rest);
  assertEquals(await reading.getOrder({ partnerId: partnerId + 1, orderId }), undefined);
});

test("what a key made is found in the list of its kind, and in no other", async () => {
  const { orders, keys, partnerId } = await trade(3);
  const query = { partnerId, limit: 20, idempotencyKey: keys[1]! };
  const ofKey = page(await reading.listOrders(query));
  assertEquals(ofKey.data.map((order) => order.id), [orders[1]!.id]);
  assertEquals(page(await reading.listWithdrawals(query)).data, []);
});

test("a cursor of another list, or an invented one, is refused", async () => {
  const { partnerId } = await trade(2);
  const { nextCursor } = page(await reading.listOrders({ partnerId, limit: 1 }));
  for (const cursor of [nextCursor!, "", "x", "!!", "b3JkZXJzOjE"]) {
    const listing = await reading.listEvents({ partnerId, limit: 1, cursor });
    assertEquals(listing.ok ? "ok" : listing.code, "invalid_request", cursor);
  }
});

test("events read with sequence, object and delivery", async () => {
  const { bank, orders, keys, partnerId } = await trade(2);
  const listed = page(await reading.listEvents({ partnerId, limit: 2 }));
  assertEquals(listed.data.map((event) => [event.sequence, event.type]), [
    [3, "order.executed"],
    [2, "order.executed"],
  ]);
  const after = page(await reading.listEvents({ partnerId, limit: 1, afterSequence: 1 }));
  assertEquals(after.data, [listed.data[1]!]);
  const cursor = after.nextCursor!;
  const next = page(await reading.listEvents({ partnerId, limit: 1, afterSequence: 1, cursor }));
  assertEquals([next.data, next.nextCursor], [[listed.data[0]!], null]);
  assertEquals((await reading.listEvents({ partnerId, limit: 1, cursor })).ok, false);
  const first = listed.data[0]!;
  assert(first.objectJson.includes(orders[1]!.id) && !first.objectJson.includes("balances"));
  assertEquals(first.delivery?.status, "pending");
  const rest = page(await reading.listEvents({ partnerId, limit: 2, cursor: listed.nextCursor! }));
  assertEquals(rest.data.map((event) => event.type), ["funding.completed"]);
  for (const event of listed.data) {
    assertEquals(await reading.getEvent({ partnerId, eventId: parseId("evt", event.id)! }), event);
  }
  const ofKey = page(await reading.listEvents({ partnerId, limit: 9, idempotencyKey: keys[0]! }));
  assertEquals(ofKey.data.map((event) => event.sequence), [2]);
  const funded = bank.fund(10_000_000n);
  value(await trading.fund(funded));
  const cases: [Partial<ListQuery>, number[]][] = [
    [{ idempotencyKey: funded.idempotencyKey }, [4]],
    [{ idempotencyKey: "of nothing" }, []],
    [{ status: "odd" }, []],
  ];
  for (const [query, sequences] of cases) {
    const { data } = page(await reading.listEvents({ partnerId, limit: 9, ...query }));
    assertEquals(data.map((event) => event.sequence), sequences);
  }
  assertEquals(
    page(await reading.listEvents({ partnerId, limit: 9, status: "delivered" })).data,
    [],
  );
});

test("what was signed for an order or a withdrawal is read, by its own partner alone", async () => {
  const { bank, partnerId } = await trade(0);
  const command = bank.order(value(await trading.quote(bank.quote())).id);
  const order = value(await trading.order(command));
  const withdraw = bank.withdraw(100n);
  const withdrawal = value(await trading.withdraw(withdraw));
  const cancel = bank.cancel(withdrawal.id);
  const cancelled = value(await trading.cancelWithdrawal(cancel));
  const [orderId, withdrawalId] = [parseId("ord", order.id)!, parseId("wd", withdrawal.id)!];
  assertEquals((await reading.getWithdrawal({ partnerId, withdrawalId }))?.id, cancelled.id);
  const signedOf = ({ id, requests }: { id: string; requests: readonly SignedEvidence[] }) => [
    id,
    requests.map(({ nonce, url, signature }) => [nonce, url, signature]),
  ];
  const sent = ({ nonce, evidence }: typeof command | typeof withdraw | typeof cancel) => [
    nonce.value,
    evidence.url,
    evidence.signature,
  ];
  assertEquals(signedOf((await reading.orderEvidence({ partnerId, orderId }))!), [
    order.id,
    [sent(command)],
  ]);
  assertEquals(signedOf((await reading.withdrawalEvidence({ partnerId, withdrawalId }))!), [
    withdrawal.id,
    [sent(withdraw), sent(cancel)],
  ]);
  assertEquals(await reading.receipt({ partnerId, orderId }), { state: "pending" });
  const other = { partnerId: partnerId + 1, orderId, withdrawalId };
  for (const read of ["getWithdrawal", "orderEvidence", "withdrawalEvidence", "receipt"] as const) {
    assertEquals(await reading[read](other), undefined, read);
  }
});

test("events after a number read as their webhooks say, up to the last", async () => {
  const { partnerId } = await trade(2);
  const after = await reading.eventsAfter({ partnerId, afterSequence: 1, limit: 9 });
  assertEquals(
    after.map((
      { sequence, json },
    ) => [sequence, JSON.parse(json).sequence, json.includes("sandbox")]),
    [[2, 2, true], [3, 3, true]],
  );
  assertEquals(await reading.lastSequences([partnerId]), new Map([[partnerId, 3]]));
  assertEquals([await reading.isHome(partnerId), await reading.isHome(0)], [true, false]);
  assertEquals(await reading.webhookEndpoint({ partnerId }), undefined);
  await database.sql`
    update partners set webhook_url = 'https://127.0.0.1:1/' where partner_id = ${partnerId}`;
  assertEquals((await reading.webhookEndpoint({ partnerId }))?.pendingEvents, 3);
  const [event] = page(await reading.listEvents({ partnerId, limit: 1 })).data;
  const eventId = parseId("evt", event!.id)!;
  const attempts = await reading.listAttempts({ partnerId, limit: 1, eventId });
  assertEquals(attempts, { ok: true, page: { data: [], nextCursor: null } });
});

test("ledger entries and the day's statement agree with the balances", async () => {
  const { orders, keys, partnerId } = await trade(2);
  const all = page(await reading.listLedgerEntries({ partnerId, limit: 100 })).data;
  assertEquals(all.map((entry) => entry.number), [6, 5, 4, 3, 2, 1]);
  assertEquals(
    all.slice(0, 2).map((entry) => [entry.debitAccount, entry.creditAccount, entry.amount]),
    [
      ["allocation", "gold", 1_000_000n],
      ["cash", "house_cash", orders[1]!.totalHalalas],
    ],
  );
  const ofKey = page(
    await reading.listLedgerEntries({ partnerId, limit: 9, idempotencyKey: keys[0]! }),
  );
  assertEquals(ofKey.data.map((entry) => entry.sourceId), [orders[0]!.id, orders[0]!.id]);

  const today = (ms: number) => new Date(ms + 3 * 3_600_000).toISOString().slice(0, 10);
  const day = today(orders[1]!.createdAtMs);
  const opened = (await reading.statement({ partnerId, day }))!;
  assert(opened.provisional);
  assertEquals(opened.closing, await reading.balances({ partnerId }));
  assertEquals(opened.opening, { sarHalalas: 0n, goldMicrograms: 0n });
  assertEquals(opened.count, 6n);
  const shown = new Map(orders.map(({ balances: _, ...order }) => [order.id as string, order]));
  const entries = [...all].reverse().map((entry) => {
    const order = entry.debitAccount === "cash" ? shown.get(entry.sourceId) : undefined;
    return order === undefined ? entry : { ...entry, order };
  });
  const whole = { ...opened, entries };
  assertEquals(await new Response(statementJsonStream(opened)).text(), STATEMENT.write(whole));
  assertEquals(await new Response(statementCsvStream(opened)).text(), statementToCsv(whole));
  const yesterday = (await reading.statement({
    partnerId,
    day: today(orders[1]!.createdAtMs - 86_400_000),
  }))!;
  assertEquals(yesterday.count, 0n);
  assertEquals(yesterday.closing, { sarHalalas: 0n, goldMicrograms: 0n });
  assertEquals(
    await new Response(statementJsonStream(yesterday)).text(),
    STATEMENT.write({ ...yesterday, entries: [] }),
  );
  const at = (nowMs: number) =>
    createReading({ database: app, environment: "sandbox", now: () => nowMs });
  const end = riyadhDayEnd(day)!;
  for (const [nowMs, provisional] of [[end + 1, true], [end + 600_000, false]] as const) {
    // An order of the day's last moment may still be under way.
    assertEquals((await at(nowMs).statement({ partnerId, day }))!.provisional, provisional);
    const next = (await at(nowMs).statement({ partnerId, day: today(end) }))!;
    assertEquals([next.provisional, next.opening], [true, opened.closing]);
  }
  for (const none of ["2026-02-30", "x", "2026-1-1", "9999-01-01"]) {
    assertEquals(await reading.statement({ partnerId, day: none }), undefined, none);
  }
});

test("a statement of many pages is one text, and is read page by page", async () => {
  const bank = await admitTestPartner(database);
  const { partnerId } = bank;
  await database.sql`
    insert into transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
      credit_account, source_kind)
    select ${partnerId}::integer, n, 1, now(), gen_random_uuid(), 'SAR', 'bank', 'cash', 'funding'
    from generate_series(2, 4501) n`;
  await database.sql`
    update accounts set cash_halalas = 4500, bank_halalas = -4500, last_transfer = 4501
    where partner_id = ${partnerId}::integer`;
  const day = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10);
  const opened = (await reading.statement({ partnerId, day }))!;
  const entries = [];
  for await (const page of opened.pages()) {
    assert(page.length <= 2_000);
    entries.push(...page);
  }
  assertEquals(entries.length, 4_501);
  assertEquals(opened.closing.sarHalalas, 4_500n);
  const text = await new Response(statementJsonStream(opened)).text();
  assertEquals(text, STATEMENT.write({ ...opened, entries }));
  const csv = await new Response(statementCsvStream(opened)).text();
  assertEquals(csv, statementToCsv({ ...opened, entries }));
});
