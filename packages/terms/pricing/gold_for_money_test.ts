import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { numbers, quoteOracle, someTerms } from "../../../test/support/quote_oracle.ts";
import { goldForMoney } from "./gold_for_money.ts";

test("a million amounts: a buy gets the most gold that they pay, a sale gives the least (D47)", () => {
  const next = numbers(47);
  for (let n = 0; n < 500_000; n++) {
    const { settings, mid, amount } = someTerms(next);
    const context = () => `amount ${amount}, mid ${mid}, run ${n}`;

    const bought = goldForMoney("buy", amount, mid, settings);
    const buy = quoteOracle("buy", mid, settings);
    if (bought % 100n !== 0n) throw new Error(`not in steps: ${context()}`);
    const steps = bought / 100n;
    if (buy.total(steps) > amount) throw new Error(`costs more than asked for: ${context()}`);
    if (buy.total(steps + 1n) <= amount) throw new Error(`a step more fits: ${context()}`);

    const sell = quoteOracle("sell", mid, settings);
    if (sell.step[0] === 0n) continue;
    const sold = goldForMoney("sell", amount, mid, settings);
    if (sold % 100n !== 0n) throw new Error(`not in steps: ${context()}`);
    if (sell.total(sold / 100n) < amount) throw new Error(`brings less than asked: ${context()}`);
    // Rounding only takes from what gold brings: below the fewest steps nothing needs to be tried.
    const fewest = sell.fewest(amount);
    for (let less = sold / 100n - 1n; less >= fewest; less--) {
      if (sell.total(less) >= amount) throw new Error(`less gold is enough: ${context()}`);
    }
  }
});

test("no gold is enough where the fee takes all of it, or the price is nothing", () => {
  const settings = {
    quoteMinMicrograms: 1n,
    quoteMaxMicrograms: 10_000_000n,
    openQuotesLimit: 1,
    spreadPpm: 0n,
    feePpm: 1_000_000n,
  };
  assertEquals(goldForMoney("sell", 1n, 4_850_000n, settings), 10_000_100n);
  const half = { ...settings, spreadPpm: 500_000n, feePpm: 0n };
  assertEquals(goldForMoney("sell", 1n, 1n, half), 10_000_100n);
  assertEquals(goldForMoney("buy", 1n, 4_850_000n, settings), 0n);
});
