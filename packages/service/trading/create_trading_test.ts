/** The rules that come before a write, on writes that only note what they are asked for. */
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { FUNDING_MAX_HALALAS, FUNDING_MIN_HALALAS, refuse } from "@sabika/protocol";
import { random } from "../../../test/support/random.ts";
import { testPartner } from "../../../test/support/test_partner.ts";
import { PRICE_UNAVAILABLE } from "../prices/price_source.ts";
import { createTradingOn, UnavailableError } from "./create_trading.ts";
import type { Writes } from "./writes.ts";

const bank = testPartner(7);
const WITHDRAWAL = "wd_01999999-9999-7999-8999-999999999999";
const LOST = refuse("outcome_unknown");

/** Trading whose nonces get an answer, and one key of which is known; and what it wrote. */
function tradingWith(spent: Awaited<ReturnType<Writes["spend"]>>, knownKey?: string) {
  const written: string[] = [];
  const write = (name: string) => () => {
    written.push(name);
    return Promise.resolve(refuse("not_found"));
  };
  const keys: unknown[] = [];
  const nonces: unknown[] = [];
  const writes = {
    ...Object.fromEntries(
      ["fund", "withdraw", "cancel", "enableWebhook"].map((name) => [name, write(name)]),
    ),
    redeliver: ({ command }: { command: unknown }) => {
      written.push("redeliver");
      return Promise.resolve(command === redelivery ? refuse("not_found") : LOST);
    },
    spend: (item: unknown) => {
      nonces.push(item);
      return Promise.resolve(spent);
    },
    findKey: (key: { idempotencyKey: string }) => {
      keys.push(key);
      return Promise.resolve(
        key.idempotencyKey === knownKey ? { resourceId: "fund_1" } : undefined,
      );
    },
  } as unknown as Writes;
  const prices = { latest: () => PRICE_UNAVAILABLE };
  const trading = createTradingOn(writes, { prices, random, now: () => 0 });
  return { trading, written, keys, nonces };
}

const redelivery = { ...bank.fund(1n), request: { fromSequence: 1, toSequence: 1 } };

test("what is signed is written only if its nonce is fresh", async () => {
  const { request: _, ...enable } = bank.withdraw(1n);
  const commands = {
    withdraw: bank.withdraw(1n),
    cancelWithdrawal: bank.cancel(WITHDRAWAL),
    enableWebhook: { ...enable, request: {} },
  };
  for (
    const [spent, code] of [
      [{ fresh: true }, "not_found"],
      [{ fresh: false }, "nonce_reused"],
      [LOST, "outcome_unknown"],
    ] as const
  ) {
    const { trading, written, nonces } = tradingWith(spent);
    const outcomes = [
      await trading.withdraw(commands.withdraw),
      await trading.cancelWithdrawal(commands.cancelWithdrawal),
      await trading.enableWebhook(commands.enableWebhook),
    ];
    assertEquals(outcomes.map((outcome) => outcome.ok || outcome.code), [code, code, code]);
    assertEquals(written, code === "not_found" ? ["withdraw", "cancel", "enableWebhook"] : []);
    const sent = Object.values(commands).map(({ nonce }) => ({ partnerId: 7, nonce }));
    assertEquals(nonces, sent);
  }
});

test("a nonce alone is spent, and is not said to be used when nobody knows", async () => {
  const nonce = { partnerId: 7, value: "n".repeat(16), timestampSeconds: 1_795_167_000 };
  for (const fresh of [true, false]) {
    const { trading, nonces } = tradingWith({ fresh });
    assertEquals(await trading.spendNonce(nonce), fresh);
    const { partnerId, ...sent } = nonce;
    assertEquals(nonces, [{ partnerId, nonce: sent }]);
  }
  const error = await assertRejects(
    () => tradingWith(LOST).trading.spendNonce(nonce),
    UnavailableError,
    LOST.code,
  );
  assertEquals([error.name, error.refusal], ["UnavailableError", LOST]);
});

test("money out of bounds is refused before it is written, unless its key is known", async () => {
  for (
    const [amount, code] of [
      [FUNDING_MIN_HALALAS - 1n, "amount_below_minimum"],
      [FUNDING_MAX_HALALAS + 1n, "amount_above_maximum"],
      [FUNDING_MIN_HALALAS, "not_found"],
      [FUNDING_MAX_HALALAS, "not_found"],
    ] as const
  ) {
    const command = bank.fund(amount);
    const { idempotencyKey } = command;
    const [unknown, known] = [tradingWith(LOST), tradingWith(LOST, idempotencyKey)];
    const refused = await unknown.trading.fund(command);
    assertEquals(refused.ok || refused.code, code);
    const isOut = code !== "not_found";
    assertEquals(unknown.written, isOut ? [] : ["fund"]);
    assertEquals(unknown.keys, isOut ? [{ partnerId: 7, idempotencyKey }] : []);
    const replayed = await known.trading.fund(command);
    assertEquals(replayed.ok || replayed.code, "not_found");
    assertEquals(known.written, ["fund"]);
  }
});

test("events are sent again as they are asked for", async () => {
  const { trading, written } = tradingWith(LOST);
  const outcome = await trading.redeliver(redelivery);
  assertEquals([outcome.ok || outcome.code, written], ["not_found", ["redeliver"]]);
});
