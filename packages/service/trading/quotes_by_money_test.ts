import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Side } from "@sabika/protocol";
import { numbers, quoteOracle, someTerms } from "../../../test/support/quote_oracle.ts";
import { openTestMarket, value } from "../../../test/support/test_market.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { createFixedPrice } from "../prices/fixed.ts";
import { createTrading } from "./create_trading.ts";

const { database, app, reading, trading, close } = await openTestMarket(4_850_000n);
after(close);

test("thousands of quotes by money have the computed terms in the database, and in replays", async () => {
  const next = numbers(13);
  for (let round = 0; round < 4; round++) {
    const { settings, mid } = someTerms(next);
    const bank = await admitTestPartner(database, { settings });
    const trading = createTrading({
      database: app,
      prices: createFixedPrice({ midTenThousandths: mid }),
      random,
      now: Date.now,
    });
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
  assert(sarHalalas < 5n);
});
