import { test, type TestContext } from "node:test";
import { assertEquals } from "@std/assert";
import { random } from "../../../test/support/random.ts";
import { openTestMarket } from "../../../test/support/test_market.ts";
import type { Sql } from "@sabika/database";
import { readReserve } from "@sabika/protocol";
import { findReserve, makeReserves, recountReserves } from "./mod.ts";

const DAY_MS = 86_400_000;
/** The day before yesterday in Riyadh, and the noon after it, when its reserve is made at the latest. */
const DAY = new Date(Date.now() - 2 * DAY_MS + DAY_MS / 8).toISOString().slice(0, 10);
const NOON_MS = Date.parse(DAY) + DAY_MS + 9 * 3_600_000;

async function open(t: TestContext) {
  const market = await openTestMarket();
  t.after(market.close);
  return {
    ...market,
    make: (control: { sql: Sql } = market.app) =>
      makeReserves({ control, cells: [market.app], random }, NOON_MS),
    recount: () =>
      recountReserves({ control: market.database, cells: [market.database], whole: true }),
    reserve: async () => readReserve((await findReserve(market.app.sql, DAY))!.text),
  };
}

test("a deployment without partners makes a reserve, of nothing", async (t) => {
  const { make, reserve, recount } = await open(t);
  assertEquals(await make(), 1);
  const { commitments, cash } = await reserve();
  assertEquals([commitments, cash.obligationsHalalas], [[], 0n]);
  assertEquals(await recount(), []);
});
