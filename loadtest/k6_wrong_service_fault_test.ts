/**
 * The k6 scripts exit with 99 when the service is made wrong on purpose. A load script that cannot
 * fail shows nothing.
 */
import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type K6Stack, type Spoil, startK6Stack } from "../test/support/k6/k6_stack.ts";

let k6: K6Stack;

before(async () => {
  k6 = await startK6Stack(6);
});

after(async () => {
  await k6?.stop();
});

const asItIs: Spoil = ({ status, body }) => ({ status, body });

const acceptReplays: Spoil = (answer) => {
  const replay = answer.status === 401 && answer.body.includes("nonce_reused");
  return replay ? { status: 200, body: '{"verified":true}' } : asItIs(answer);
};

/** The total of every order, one halala too much. */
const offByAHalala: Spoil = (answer) => {
  if (answer.path !== "/v1/orders" || answer.status !== 201) return asItIs(answer);
  const order = JSON.parse(answer.body) as { total_sar: number };
  const total_sar = (Math.round(order.total_sar * 100) + 1) / 100;
  return { status: 201, body: JSON.stringify({ ...order, total_sar }) };
};

/** Each executed price, a ten-thousandth of a riyal too high. */
const otherPrice: Spoil = (answer) => {
  if (answer.path !== "/v1/orders" || answer.status !== 201) return asItIs(answer);
  const order = JSON.parse(answer.body) as { price_per_gram_sar: number };
  const price_per_gram_sar = (Math.round(order.price_per_gram_sar * 10_000) + 1) / 10_000;
  return { status: 201, body: JSON.stringify({ ...order, price_per_gram_sar }) };
};

describe("the k6 scripts against a wrong service", { concurrency: 3 }, () => {
  it("a proxy that spoils nothing passes, so what follows is the spoiling's doing", async () => {
    const { exitCode, output } = await k6.runAgainst("nonce_store", asItIs);
    assertEquals(exitCode, 0, output);
  });

  for (const script of ["nonce_store", "smoke"]) {
    it(`${script} exits with 99 against a service that accepts a replay`, async () => {
      const { exitCode, output, summary } = await k6.runAgainst(script, acceptReplays);
      assertEquals(exitCode, 99, output);
      assert((await summary()).metrics.replays_accepted!.values.count! > 0);
    });
  }

  it("quote_order exits with 99 against a service that is off by a halala", async () => {
    const { exitCode, output, summary } = await k6.runAgainst("quote_order", offByAHalala);
    assertEquals(exitCode, 99, output);
    assert((await summary()).metrics.checks!.values.fails! > 0);
  });

  it("quote_order exits with 99 against a service that executes another price", async () => {
    const { exitCode, output } = await k6.runAgainst("quote_order", otherPrice);
    assertEquals(exitCode, 99, output);
  });

  it("an exception in every iteration is a failure", async () => {
    // What is no JSON makes the script throw; k6 by itself would exit with 0.
    const { exitCode, output } = await k6.runAgainst("quote_order", (answer) => {
      const isTrade = answer.path === "/v1/quotes";
      return isTrade ? { status: 201, body: "<html>" } : asItIs(answer);
    });
    assertEquals(exitCode, 99, output);
  });
});
