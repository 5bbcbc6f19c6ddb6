import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assert, assertEquals } from "@std/assert";
import { plainArray } from "@sabika/database";
import type { Side } from "@sabika/protocol";
import { numbers, quoteOracle, someTerms } from "../../../test/support/quote_oracle.ts";
import { openTestMarket, openTestTrading, value } from "../../../test/support/test_market.ts";
import { sized } from "../../../test/support/sized.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";

const { database, app, reading, trading, close } = await openTestMarket(4_850_000n);
after(close);

const PAGE = 5_000;

test("random trades cost what an exact recount says, by gold and by money (D6, D47, F68)", async () => {
  const next = numbers(47);
  const trades = () => {
    const { settings, mid, amount } = someTerms(next);
    const side: Side = next(0, 1) === 0 ? "buy" : "sell";
    return { settings, mid, amount, side, steps: BigInt(next(1, 10 ** next(1, 8))) };
  };
  for (let left = sized(1_000, 1_000_000); left > 0; left -= PAGE) {
    const page = Array.from({ length: Math.min(left, PAGE) }, trades);
    const column = (read: (trade: typeof page[0]) => bigint | Side) => plainArray(page.map(read));
    const rows = await database.sql<{ terms: string; gold: bigint }[]>`
      select array[t.price, t.fee, t.fee_vat, t.vat, t.total] as terms, gold_for_money(u.side, u.amount,
        10000000000000000, u.mid, u.spread, u.fee, u.gold_vat, u.vat)::bigint as gold
      from unnest(${column(({ side }) => side)}::text[],
          ${column(({ steps }) => steps * 100n)}::bigint[],
          ${column(({ amount }) => amount)}::bigint[], ${column(({ mid }) => mid)}::bigint[],
          ${column(({ settings }) => settings.spreadPpm)}::bigint[],
          ${column(({ settings }) => settings.feePpm)}::bigint[],
          ${column(({ settings }) => settings.goldVatPpm)}::bigint[],
          ${column(({ settings }) => settings.vatPpm)}::bigint[])
        with ordinality as u (side, gold, amount, mid, spread, fee, gold_vat, vat, n)
      cross join lateral price_terms(u.side, u.gold, u.mid, u.spread, u.fee, u.gold_vat, u.vat) t order by n`;
    const decimal = await inPython(
      page.map(({ side, steps, mid, settings }, n) =>
        [
          side,
          steps,
          mid,
          settings.spreadPpm,
          settings.feePpm,
          settings.goldVatPpm,
          settings.vatPpm,
          rows[n]!.gold / 100n,
        ].join(" ")
      ),
    );
    for (const [n, { terms, gold }] of rows.entries()) {
      const { side, mid, settings, steps, amount } = page[n]!;
      const oracle = quoteOracle(side, mid, settings);
      const { price, fee, feeVat, vat, total } = oracle.terms(steps);
      const context = `${side} ${steps} steps, ${amount} halalas at ${mid}`;
      assertEquals(terms, plainArray([price, fee, feeVat, vat, total]), context);
      assertEquals(
        decimal[n],
        `${price} ${fee} ${vat - feeVat} ${feeVat} ${total} ${oracle.total(gold / 100n)}`,
        context,
      );
      if (oracle.step[0] === 0n) continue;
      assert(gold % 100n === 0n, context);
      if (side === "buy") {
        assert(oracle.total(gold / 100n) <= amount, context);
        assert(oracle.total(gold / 100n + 1n) > amount, context);
        continue;
      }
      assert(oracle.total(gold / 100n) >= amount, context);
      // Rounding only takes from what gold brings: below the fewest steps nothing needs to be tried.
      const fewest = oracle.fewest(amount);
      for (let less = gold / 100n - 1n; less >= fewest; less--) {
        assert(oracle.total(less) < amount, context);
      }
    }
  }
});

/** Computes the terms of trades in Python's `decimal`, by `quote_terms.py`. */
async function inPython(trades: readonly string[]): Promise<string[]> {
  const script = new URL("../../../test/support/quote_terms.py", import.meta.url);
  const running = promisify(execFile)("python3", [fileURLToPath(script)], { maxBuffer: 2 ** 24 });
  running.child.stdin!.end(trades.join("\n"));
  return (await running).stdout.trimEnd().split("\n");
}

test("price, fee, VAT and value are rounded up by the smallest fraction, and by nothing else", async () => {
  // A price of one ten-thousandth of a riyal: 10^8 µg are a halala.
  const rows = await database.sql<{ terms: string }[]>`
    select concat_ws(' ', t.price, t.fee, t.fee_vat, t.vat, t.total) as terms
    from (values (1, 'buy', 1, 0, 1, 1, 0), (2, 'buy', 1, 0, 1, 0, 1), (3, 'buy', 1, 1, 0, 0, 0),
      (4, 'buy', 100000000, 0, 1000000, 1000000, 0), (5, 'buy', 100000001, 0, 0, 0, 0),
      (6, 'sell', 99999999, 0, 1, 0, 1), (7, 'sell', 100000000, 0, 0, 0, 0))
      as q (n, side, gold, spread, fee_rate, gold_vat_rate, fee_vat_rate)
    cross join lateral price_terms(side, gold, 1, spread, fee_rate, gold_vat_rate, fee_vat_rate) t
    order by n`;
  assertEquals(rows.map(({ terms }) => terms), [
    "1 1 0 1 3",
    "1 1 1 1 3",
    "2 0 0 0 1",
    "1 1 0 1 3",
    "1 0 0 0 2",
    "1 1 1 1 -2",
    "1 0 0 0 1",
  ]);
});

test("no gold is enough where the fee takes all of it, or the price is nothing", async () => {
  const [row] = await database
    .sql`select gold_for_money('sell', 1, 10000000, 4850000, 0, 1000000, 0, 0) as fee,
    gold_for_money('sell', 1, 10000000, 1, 500000, 0, 0, 0) as price,
    gold_for_money('buy', 1, 10000000, 4850000, 0, 1000000, 0, 0) as none`;
  assertEquals(Object.values(row!), ["10000100", "10000100", "0"]);
});

test("there is no quantity without a current price, nor by terms that are not there", async () => {
  await database.sql.begin(async (sql) => {
    await sql`set local statement_timeout = '5s'`;
    const rows =
      await sql`select side, gold_for_money(side, 1, 10000000, null, 0, 0, 0, 0) as price,
      gold_for_money(side, 1, 10000000, 4850000, null, null, null, null) as terms
      from unnest(array['buy', 'sell']) as side`;
    assertEquals(rows.map((row) => ({ ...row })), [
      { side: "buy", price: null, terms: null },
      { side: "sell", price: null, terms: null },
    ]);
  });
});

test("quotes by money have the computed terms in the database, and in replays", async () => {
  const next = numbers(13);
  for (let round = 0; round < 2; round++) {
    const { settings, mid } = someTerms(next);
    const bank = await admitTestPartner(database, { settings });
    const trading = await openTestTrading({ database, app }, mid);
    const commands = Array.from({ length: 500 }, (_, n) =>
      bank.quote({
        side: n % 2 === 0 ? "buy" : "sell",
        amountHalalas: BigInt(next(50_000, 90_000_000)),
      }));
    const quotes = await Promise.all(commands.map((command) => trading.quote(command)));
    const made = quotes.map(value);
    for (const [n, quote] of made.entries()) {
      const { side, amountHalalas } = commands[n]!.request;
      const { total } = quoteOracle(side, mid, settings);
      assertEquals(quote.totalHalalas, total(quote.goldMicrograms / 100n));
      assertEquals(quote.requested, { amountHalalas });
      const [short, over] = side === "buy" ? [0n, 1n] : [-1n, 0n];
      assert(total(quote.goldMicrograms / 100n + short) <= amountHalalas!);
      assert(total(quote.goldMicrograms / 100n + over) >= amountHalalas!);
    }
    const again = await Promise.all(commands.map((command) => trading.quote(command)));
    assertEquals(again, made.map((value) => ({ ok: true, replayed: true, value })));
    const listed = await reading.listQuotes({ partnerId: bank.partnerId, limit: 100 });
    assert(listed.ok);
    for (const quote of listed.page.data) {
      assertEquals(quote, made.find(({ id }) => id === quote.id));
    }
  }
});

test("a quote by money is bounded by its gold, and its order has its total", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 50_000n });
  const refused = async (side: Side, amountHalalas: bigint) => {
    const outcome = await trading.quote(bank.quote({ side, amountHalalas }));
    return outcome.ok ? outcome.value : [outcome.code, outcome.meta?.["asset"]];
  };
  for (const side of ["buy", "sell"] as const) {
    assertEquals(await refused(side, 1n), ["amount_below_minimum", "XAU"]);
    assertEquals(await refused(side, 10n ** 13n), ["amount_above_maximum", "XAU"]);
  }
  const quote = value(await trading.quote(bank.quote({ side: "buy", amountHalalas: 50_000n })));
  const order = value(await trading.order(bank.order(quote.id)));
  assertEquals(order.totalHalalas, quote.totalHalalas);
  const { sarHalalas } = await reading.balances(bank);
  assertEquals(sarHalalas, 50_000n - quote.totalHalalas);
  // Less than a step of 0.0001 g, and what rounding takes.
  assert(sarHalalas < quote.pricePerGramTenThousandths / 1_000_000n + 3n);
});
