import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestDesk } from "../../../../tools/testing/test_desk.ts";
import { createConfiguredPrices } from "./configured_prices.ts";
import { pausePrices, setPriceOrigin } from "./price_settings.ts";

test("quoting follows what the operator sets, pauses and resumes", async () => {
  const desk = await openTestDesk();
  const prices = createConfiguredPrices({ ...desk, fetch, pollMs: 60_000 });
  const mid = async () => {
    await prices.refresh();
    const latest = prices.latest(desk.now());
    return latest.ok ? latest.midTenThousandths : null;
  };
  try {
    assertEquals(prices.latest(desk.now()).ok, false);
    assertEquals(typeof await mid(), "bigint");
    await setPriceOrigin(desk, { source: "fixed", midTenThousandths: 4_850_000n });
    assertEquals(await mid(), 4_850_000n);
    await pausePrices(desk, true);
    assertEquals(await mid(), null);
    await pausePrices(desk, false);
    assertEquals(await mid(), 4_850_000n);
    const zero = await setPriceOrigin(desk, { source: "fixed", midTenThousandths: 0n });
    assertEquals(zero.ok ? "accepted" : zero.code, "invalid_setting");
  } finally {
    prices.close();
    await desk.close();
  }
});

test("production has no simulated price", async () => {
  const desk = await openTestDesk("production");
  const prices = createConfiguredPrices({ ...desk, fetch, pollMs: 60_000 });
  try {
    await prices.refresh();
    assertEquals(prices.latest(desk.now()).ok, false);
    const set = await setPriceOrigin(desk, { source: "simulated" });
    assertEquals(set.ok ? "accepted" : set.code, "wrong_environment");
  } finally {
    prices.close();
    await desk.close();
  }
});
