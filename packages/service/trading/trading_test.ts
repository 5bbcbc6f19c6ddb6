import { byForce } from "../../../test/support/by_force.ts";
import { codeOf, openTestMarket, refusalOf, value } from "../../../test/support/test_market.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { PRICE_UNAVAILABLE } from "../prices/price_source.ts";
import { createTrading } from "./create_trading.ts";
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { ORDER, QUOTE } from "@sabika/protocol";

const { database, app, trading, close } = await openTestMarket();
after(close);

async function count(table: string, partnerId: number): Promise<number> {
  const [row] = await database.sql<{ n: number }[]>`
    select count(*)::integer as n from ${
    database.sql(table)
  } where partner_id = ${partnerId}::integer`;
  return row!.n;
}

test("an order debits money and credits gold at the quote's terms", async () => {
  const bank = await admitTestPartner(database);
  const funding = value(await trading.fund(bank.fund(100_000_00n)));
  assertEquals(funding.balanceHalalas, 100_000_00n);
  const quote = value(await trading.quote(bank.quote()));
  assertEquals(quote.pricePerGramTenThousandths, 4_020_000n);
  assertEquals(quote.feeHalalas, 101n);
  assertEquals(quote.totalHalalas, 40_200n + 101n);
  assertEquals(quote.expiresAtMs - quote.createdAtMs, 60_000);
  const order = value(await trading.order(bank.order(quote.id)));
  assertEquals(order.totalHalalas, quote.totalHalalas);
  assertEquals(order.balances, {
    sarHalalas: 100_000_00n - quote.totalHalalas,
    goldMicrograms: 1_000_000n,
  });
  const events = await database.sql<{ sequence: bigint; type: string }[]>`
    select sequence, type from events where partner_id = ${bank.partnerId}::integer order by sequence`;
  assertEquals(events.map((event) => `${event.sequence} ${event.type}`), [
    "1 funding.completed",
    "2 order.executed",
  ]);
});

test("a sale debits gold and credits money", async () => {
  const bank = await admitTestPartner(database, { goldMicrograms: 5_000_000n });
  const quote = value(
    await trading.quote(bank.quote({ side: "sell", goldMicrograms: 5_000_000n })),
  );
  const order = value(await trading.order(bank.order(quote.id)));
  assertEquals(order.balances, { sarHalalas: quote.totalHalalas, goldMicrograms: 0n });
  const again = value(await trading.quote(bank.quote({ side: "sell", goldMicrograms: 10_000n })));
  assertEquals(refusalOf(await trading.order(bank.order(again.id))), [
    "insufficient_gold",
    { asset: "XAU", available: { decimal: "0" }, needed: { decimal: "0.01" } },
  ]);
});

test("a key replays its order byte for byte, and conflicts with other parameters", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const quote = value(await trading.quote(bank.quote()));
  const command = bank.order(quote.id, {
    request: { quoteId: quote.id, clientReference: 'a "quoted" \\ {reference}, سبيكة' },
  });
  const first = await trading.order(command);
  const fresh = () => ({ ...command, nonce: bank.order(quote.id).nonce });
  const second = await trading.order(fresh());
  assert(first.ok && second.ok && second.replayed && !first.replayed);
  // Not for a request that was seen before.
  assertEquals(codeOf(await trading.order(command)), "nonce_reused");
  assertEquals(ORDER.write(second.value), ORDER.write(first.value));
  assertEquals(first.value.clientReference, 'a "quoted" \\ {reference}, سبيكة');
  const conflict = ["idempotency_key_conflict", { resource_id: first.value.id }];
  const { idempotencyKey, parameters } = command;
  const outcomes = [
    await trading.order({ ...fresh(), parameters: "POST\n/v1/orders\n\n{}" }),
    await trading.quote(bank.quote({}, { idempotencyKey })),
  ];
  for (const outcome of outcomes) assertEquals(refusalOf(outcome), conflict);
  const withdrawn = bank.withdraw(1n, { parameters });
  value(await trading.withdraw(withdrawn));
  const { idempotencyKey: used } = withdrawn;
  const order = await trading.order({ ...fresh(), idempotencyKey: used });
  assertEquals(codeOf(order), "idempotency_key_conflict");
  assertEquals(await count("orders", bank.partnerId), 1);
});

test("a quote's replay comes before bounds and prices", async () => {
  const bank = await admitTestPartner(database);
  const commands = [bank.quote(), bank.quote({ amountHalalas: 50_000n })];
  const prices = { latest: () => PRICE_UNAVAILABLE };
  const closed = createTrading({ database: app, prices, random, now: Date.now });
  for (const command of commands) {
    assertEquals(codeOf(await closed.quote(command)), "price_unavailable");
    const first = value(await trading.quote(command));
    const second = await closed.quote(command);
    assert(second.ok && second.replayed);
    assertEquals(QUOTE.write(second.value), QUOTE.write(first));
  }
  const outcomes = [
    await trading.quote(bank.quote({ goldMicrograms: 9_900n })),
    await trading.quote(bank.quote({ goldMicrograms: 10_000_000_100n })),
    await trading.fund(bank.fund(99n)),
    await trading.fund(bank.fund(1_000_000_001n)),
  ];
  assertEquals(outcomes.map(codeOf), [
    "amount_below_minimum",
    "amount_above_maximum",
    "amount_below_minimum",
    "amount_above_maximum",
  ]);
});

test("a quote has the price that is set now, though its instance does not know it yet (D88)", async () => {
  const bank = await admitTestPartner(database);
  const priceOf = async () => {
    const outcome = await trading.quote(bank.quote());
    return outcome.ok ? outcome.value.pricePerGramTenThousandths : outcome.code;
  };
  assertEquals(await priceOf(), 4_020_000n);
  await setFixedPrice(database, 4_100_000n);
  assertEquals(await priceOf(), 4_120_500n);
  await database.sql`update partners set spread_ppm = 0 where partner_id = ${bank.partnerId}`;
  assertEquals(await priceOf(), 4_100_000n);
  await database.sql`update price_settings set paused = true`;
  assertEquals(await priceOf(), "price_unavailable");
  await database.sql`update price_settings set paused = false, source = 'feed'`;
  assertEquals(await priceOf(), "price_unavailable");
  await setFixedPrice(database, 4_000_000n);
  assertEquals(await priceOf(), 4_000_000n);
});

test("a refused order spends its nonce, leaves its key free and makes nothing", async () => {
  const bank = await admitTestPartner(database);
  const quote = value(await trading.quote(bank.quote()));
  const command = bank.order(quote.id);
  assertEquals(refusalOf(await trading.order(command)), [
    "insufficient_funds",
    { asset: "SAR", available: { decimal: "0" }, needed: { decimal: "403.01" } },
  ]);
  const counts = ["orders", "events", "nonces"].map((table) => count(table, bank.partnerId));
  assertEquals(await Promise.all(counts), [0, 0, 1]);
  assertEquals(codeOf(await trading.order(command)), "nonce_reused");
  value(await trading.fund(bank.fund(100_000n)));
  const order = await trading.order({ ...command, nonce: bank.order(quote.id).nonce });
  assert(order.ok && !order.replayed);
});

test("a quote is used once, and another partner's quote is refused like an unknown one", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const other = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const quote = value(await trading.quote(bank.quote()));
  for (const order of [other.order(quote.id), bank.order(`qt_${crypto.randomUUID()}`)]) {
    assertEquals(codeOf(await trading.order(order)), "quote_not_found");
  }
  const order = value(await trading.order(bank.order(quote.id)));
  const again = await trading.order(bank.order(quote.id));
  assertEquals(refusalOf(again), ["quote_already_used", { order_id: order.id }]);
});

test("money, gold and allocation can be spent to the last unit, and not one more", async () => {
  const cost = 40_200n + 101n;
  const grams = 1_000_000n;
  for (const missing of [0n, 1n]) {
    const held = [
      { cashHalalas: cost - missing },
      { cashHalalas: cost, allocationMicrograms: grams - missing },
      { goldMicrograms: grams - missing },
    ];
    const outcomes = await Promise.all(held.map(async (options) => {
      const bank = await admitTestPartner(database, options);
      const side = "goldMicrograms" in options ? "sell" : "buy";
      const quote = value(await trading.quote(bank.quote({ side })));
      return codeOf(await trading.order(bank.order(quote.id)));
    }));
    const bank = await admitTestPartner(database, { cashHalalas: cost - missing });
    outcomes.push(codeOf(await trading.withdraw(bank.withdraw(cost))));
    const refusals = [
      "insufficient_funds",
      "inventory_unavailable",
      "insufficient_gold",
      "insufficient_funds",
    ];
    assertEquals(outcomes, missing === 0n ? Array(4).fill("ok") : refusals);
  }
});

test("an order is in time if it was received before the quote's expiry (D12)", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const quote = value(await trading.quote(bank.quote()));
  const late = await trading.order(bank.order(quote.id, { receivedAtMs: quote.expiresAtMs }));
  assert(!late.ok);
  assertEquals(late.code, "quote_expired");
  assertEquals(late.meta?.expired_at, new Date(quote.expiresAtMs).toISOString());
  value(await trading.order(bank.order(quote.id, { receivedAtMs: quote.expiresAtMs - 1 })));
});

test("a withdrawal holds the money at once; its nonce is spent before", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 500n });
  const command = bank.withdraw(300n);
  const made = value(await trading.withdraw(command));
  assertEquals(made.status, "pending");
  assertEquals(made.ibanMasked, "SA03****************7519".slice(0, made.ibanMasked.length));
  assertEquals(codeOf(await trading.withdraw(command)), "nonce_reused");
  const replay = await trading.withdraw({ ...command, nonce: bank.withdraw(1n).nonce });
  assert(replay.ok && replay.replayed);
  assertEquals(replay.value, made);
  const refused = await trading.withdraw(bank.withdraw(201n));
  assertEquals(codeOf(refused), "insufficient_funds");
});

test("at the limit of open quotes the next one is refused until a quote is used", async () => {
  const bank = await admitTestPartner(database, {
    cashHalalas: 1_000_000n,
    settings: { openQuotesLimit: 3 },
  });
  const made = await Promise.all([1, 2, 3, 4, 5].map(() => trading.quote(bank.quote())));
  assertEquals(made.filter(({ ok }) => ok).length, 3);
  const refused = await trading.quote(bank.quote());
  assert(!refused.ok);
  assertEquals(refused.meta, { open: 3, limit: 3 });
  assert(refused.retryAfterSeconds! > 0 && refused.retryAfterSeconds! <= 60);
  value(await trading.order(bank.order(value(made[0]!).id)));
  value(await trading.quote(bank.quote()));
  assertEquals(codeOf(await trading.quote(bank.quote())), "too_many_open_quotes");
});

test("expired quotes make room for new ones", async () => {
  const bank = await admitTestPartner(database, { settings: { openQuotesLimit: 2 } });
  for (let n = 0; n < 2; n++) value(await trading.quote(bank.quote()));
  assertEquals(codeOf(await trading.quote(bank.quote())), "too_many_open_quotes");
  // As if one of them had been made a minute earlier.
  await byForce(
    database,
    `update quotes set created_at = created_at - interval '1 minute',
      expires_at = expires_at - interval '1 minute',
      quote_id = (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint - 60000), 12, '0')
        || substr(replace(quote_id::text, '-', ''), 13))::uuid
    where quote_id = (select min(quote_id::text)::uuid from quotes
      where partner_id = ${bank.partnerId})`,
  );
  value(await trading.quote(bank.quote()));
  assertEquals(codeOf(await trading.quote(bank.quote())), "too_many_open_quotes");
});

test("as many quotes are open as were made in the minute before, to the millisecond", async () => {
  const bank = await admitTestPartner(database, { settings: { openQuotesLimit: 200 } });
  const partner = `partner_id = ${bank.partnerId}`;
  value(await trading.quote(bank.quote()));
  // A quote for each tenth of a second from 50 to 70 s ago, so that the open ones have to be counted.
  await byForce(
    database,
    `insert into quotes select (json_populate_record(q, json_build_object('quote_id',
        left(first_id_at((extract(epoch from now()) * 1000)::bigint - 50000 - n * 100)::text, 24)
          || lpad(n::text, 12, '0')))).*
      from quotes q, generate_series(1, 200) n where ${partner}`,
    `update accounts set open_quotes = 200 where ${partner}`,
  );
  value(await trading.quote(bank.quote()));
  const [row] = await database.sql.unsafe(
    `select a.open_quotes = (select count(*) from quotes q where q.${partner} and moment_of_id(q.quote_id)
        >= (select max(extract(epoch from created_at)) * 1000 from quotes where ${partner}) - 60000) as agree
      from accounts a where a.${partner}`,
  );
  assertEquals(row!["agree"], true);
});
