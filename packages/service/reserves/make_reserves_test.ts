import { test, type TestContext } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { actsOn, clientIdOf } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { holdLock } from "../../../test/support/hold_lock.ts";
import { random } from "../../../test/support/random.ts";
import { codeOf, openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { untilWaiting } from "../../../test/support/until_waiting.ts";
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
    act: actsOn(market.database),
    make: async (control: { sql: Sql } = market.app, transfersAtOnce?: bigint) =>
      (await makeReserves({ control, cells: [market.app], random }, NOON_MS, transfersAtOnce)).made,
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

test("a day's gold is of the pool that its partner drew on when the day ended", async (t) => {
  const { database, trading, act, make, reserve, recount } = await open(t);
  const bank = await admitTestPartner(database, { cashHalalas: 500_000_00n });
  const { goldMicrograms } = await trade(trading, bank);
  await byForce(
    database,
    "update transfers set posted_at = posted_at - interval '3 days'",
    "update pool_versions set made_at = made_at - interval '3 days'",
  );
  await trade(trading, bank, "sell");
  const partner = await clientIdOf(database, bank.partnerId);
  assert((await act("vault.release", { partner, grams: "1000000" })).ok);
  assert((await act("pool.create", { pool: "second" })).ok);
  assert((await act("partner.pool.set", { partner, pool: "second" })).ok);
  assertEquals(await make(), 1);
  const owed = (await reserve()).pools.map(({ id, obligationsMicrograms }) =>
    `${id} ${obligationsMicrograms}`
  );
  assertEquals(owed, [`main ${goldMicrograms}`, "second 0"]);
  assertEquals(await recount(), []);
  await byForce(database, "update reserve_openings set pool_id = 'second'");
  assertEquals((await recount()).map(({ subject }) => subject), [
    `${DAY}: differs`,
    `${DAY}: another pool`,
  ]);
});

test("a late reserve counts back few transfers at once, and each of them", async (t) => {
  const { database, app, trading, make, reserve, recount } = await open(t);
  const bank = await admitTestPartner(database, { cashHalalas: 500_000_00n });
  const { goldMicrograms } = await trade(trading, bank);
  await byForce(database, "update transfers set posted_at = posted_at - interval '3 days'");
  for (const side of ["buy", "sell", "buy"] as const) await trade(trading, bank, side);
  const last = await app.sql`select * from transfers order by number desc limit 1`;
  await byForce(database, `delete from transfers where number = ${last[0]!.number}`);
  await assertRejects(() => make(app, 2n), Error, "has not all transfers");
  await database.sql`insert into transfers ${database.sql(last)}`;
  assertEquals(await make(app, 2n), 1);
  assertEquals((await reserve()).pools[0]!.obligationsMicrograms, goldMicrograms);
  assertEquals(await recount(), []);
});

test("a bank's balance waits while a reserve is made, and then comes too late", async (t) => {
  const { database, app, act, make, reserve } = await open(t);
  if (database === app) return t.diagnostic("the embedded database has one session");
  const release = await holdLock(database, async (tx) => {
    assertEquals(await make({ sql: tx as unknown as Sql }), 1);
  });
  const entered = act("reserve.bank.set", { day: DAY, amount_sar: "1" });
  await Promise.race([untilWaiting(database), entered]);
  await release();
  assertEquals(codeOf(await entered), "already_exists");
  assertEquals((await reserve()).cash.bankHalalas, null);
  assertEquals((await database.sql`select from reserve_banks`).length, 0);
});
