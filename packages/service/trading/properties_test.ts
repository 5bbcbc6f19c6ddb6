import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { actsOn } from "../../../test/support/acts.ts";
import { sized } from "../../../test/support/sized.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { createSimulatedPrice } from "../prices/simulated.ts";
import { createReading } from "./create_reading.ts";
import { createTrading, type Trading } from "./create_trading.ts";

const { database, app, close } = await openTestDatabase();
const act = actsOn(database);
after(close);

/** What the partner should have, by a simple model of the answers it received. */
interface Model {
  cash: bigint;
  gold: bigint;
  allocation: bigint;
}

type Act = (bank: TestPartner, trading: Trading, model: Model) => Promise<void>;

const halalas = fc.bigInt({ min: 100n, max: 5_000_000n });
const grams = fc.bigInt({ min: 100n, max: 100_000n }).map((n) => n * 100n);

const funding: fc.Arbitrary<Act> = halalas.map((amount) => async (bank, trading, model) => {
  const done = await trading.fund(bank.fund(amount));
  if (done.ok) model.cash += amount;
});

const trade: fc.Arbitrary<Act> = fc.tuple(fc.constantFrom("buy" as const, "sell" as const), grams)
  .map(([side, goldMicrograms]) => async (bank, trading, model) => {
    const quote = await trading.quote(bank.quote({ side, goldMicrograms }));
    if (!quote.ok) return;
    const { totalHalalas } = quote.value;
    const command = bank.order(quote.value.id);
    const order = await trading.order(command);
    const possible = side === "buy"
      ? model.cash >= totalHalalas && model.allocation >= goldMicrograms
      : model.gold >= goldMicrograms;
    assertEquals(order.ok, possible);
    if (!order.ok) return;
    // Executed as quoted, exactly (I14); its replay changes nothing.
    assertEquals(order.value.totalHalalas, totalHalalas);
    assertEquals(order.value.goldMicrograms, goldMicrograms);
    model.cash += side === "buy" ? -totalHalalas : totalHalalas;
    const moved = side === "buy" ? goldMicrograms : -goldMicrograms;
    model.gold += moved;
    model.allocation -= moved;
    await trading.order({ ...command, nonce: bank.order("qt_").nonce });
  });

/** Steps of the operator, or "taken back" by the partner. */
const steps = fc.constantFrom<Step[] | "taken back">(
  "taken back",
  [],
  ["withdrawal.cancelled"],
  ["withdrawal.processing"],
  ["withdrawal.processing", "withdrawal.completed"],
  ["withdrawal.processing", "withdrawal.failed"],
);

type Step = `withdrawal.${"processing" | "completed" | "failed" | "cancelled"}`;

const withdrawal: fc.Arbitrary<Act> = fc.tuple(halalas, steps)
  .map(([amount, way]) => async (bank, trading, model) => {
    const done = await trading.withdraw(bank.withdraw(amount));
    assertEquals(done.ok, model.cash >= amount);
    if (!done.ok) return;
    model.cash -= amount;
    if (way === "taken back") {
      const cancelled = await trading.cancelWithdrawal(bank.cancel(done.value.id));
      assertEquals(cancelled.ok && cancelled.value.status, "cancelled");
      model.cash += amount;
      return;
    }
    for (const step of way) {
      const settled = step === "withdrawal.failed"
        ? await act(step, { withdrawal: done.value.id, failure: "closed" })
        : await act(step, { withdrawal: done.value.id });
      assert(settled.ok);
    }
    const last = way.at(-1);
    if (last === "withdrawal.cancelled" || last === "withdrawal.failed") model.cash += amount;
  });

test("whatever partners do, the ledger balances and agrees with the model (I1 to I3, I14)", async () => {
  const trading = createTrading({
    database: app,
    prices: createSimulatedPrice(),
    random,
    now: Date.now,
  });
  const reading = createReading({ database: app, environment: "sandbox", now: Date.now });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(funding, trade, withdrawal), { minLength: 1, maxLength: 12 }),
      async (acts) => {
        const model: Model = { cash: 0n, gold: 0n, allocation: 20_000_000n };
        const bank = await admitTestPartner(database, { allocationMicrograms: model.allocation });
        for (const act of acts) await act(bank, trading, model);
        assertEquals(await reading.balances(bank), {
          sarHalalas: model.cash,
          goldMicrograms: model.gold,
        });
        assertEquals(await reconcile(database, bank), []);
      },
    ),
    { numRuns: sized(25, 300), endOnFailure: true },
  );
  assertEquals(await reconcile(database), []);
});

test("the simulated price is the same for all instances and stays near its base", () => {
  const [first, two] = [createSimulatedPrice(), createSimulatedPrice()];
  for (let hour = 0; hour < 1_000; hour++) {
    const nowMs = 1_750_000_000_123 + hour * 3_600_000;
    const price = first.latest(nowMs);
    assertEquals(price, two.latest(nowMs));
    if (!price.ok) throw new Error("no price");
    assertEquals(nowMs - price.asOfMs, 123);
    const away = price.midTenThousandths - 4_850_000n;
    assertEquals(away < 100_000n && away > -100_000n, true);
  }
});
