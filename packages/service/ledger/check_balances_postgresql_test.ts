import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type AnySql, openDatabase } from "@sabika/database";
import { actsOn } from "../../../test/support/acts.ts";
import { openTestMarket, trade, value } from "../../../test/support/test_market.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { until } from "../../../test/support/until.ts";
import { createTrading } from "../trading/create_trading.ts";
import { checkBalances } from "./check_balances.ts";
import { guardBalances } from "./guard_balances.ts";

// The checks have their own connections, since others trade meanwhile.
const { database, app, urlAs, prices, close } = await openTestMarket();
const act = actsOn(database);
const [second, checking, checkingToo] = [4, 2, 2].map((maxConnections) =>
  openDatabase(urlAs("sabika_app"), { maxConnections })
) as [typeof database, typeof database, typeof database];
after(async () => {
  for (const database of [second, checking, checkingToo]) await database.close();
  await close();
});
const instances = [app, second].map((database) =>
  createTrading({ database: database, prices, random, now: Date.now })
);

const PARTNERS = 6;
const ORDERS = 1_500;

test("no round finds a false difference while several instances trade at full load", async () => {
  const rich = {
    cashHalalas: 10_000_000_000n,
    goldMicrograms: 1_000_000_000n,
    allocationMicrograms: 1_000_000_000n,
    settings: { openQuotesLimit: 1_000_000 },
  };
  const banks: TestPartner[] = [];
  for (let n = 0; n < PARTNERS; n++) banks.push(await admitTestPartner(database, rich));
  let done = 0;
  let rounds = 0;
  let skipped = 0;
  const working = Array.from({ length: 24 }, async (_, worker) => {
    const trading = instances[worker % 2]!;
    const bank = banks[worker % PARTNERS]!;
    while (done < ORDERS) {
      const turn = done++;
      const side = turn % 2 === 0 ? "buy" : "sell";
      await trade(trading, bank, side);
      if (turn % 10 !== 0) continue;
      value(await trading.fund(bank.fund(5_000n)));
      const { id } = value(await trading.withdraw(bank.withdraw(500n)));
      value(await act("withdrawal.cancelled", { withdrawal: id }));
    }
  });
  const checks = [checking, checkingToo].map(async (database, which) => {
    // One checks in small steps, the other in large ones; most of the time transfers are uncounted.
    const size = which === 0 ? { partners: 2, transfers: 40, steps: 30 } : undefined;
    while (done < ORDERS) {
      const found = await checkBalances(database.sql, size === undefined ? {} : { size });
      if (found === undefined) skipped += 1;
      else rounds += 1;
      assertEquals(found ?? [], []);
    }
  });
  await Promise.all([...working, ...checks]);
  assert(rounds > 20, `${rounds} rounds`);
  assert(skipped > 0, "never two at once");
  assertEquals(await guardBalances({ database: app, everySeconds: 0 }), []);
  const [behind] = await database.sql<{ n: number }[]>`
    select count(*)::int as n from accounts left join balance_checkpoints using (partner_id)
    where up_to is distinct from last_transfer`;
  assertEquals(behind!.n, 0);
});

test("a count that began earlier and ends later does not move the checkpoint back", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
  const { partnerId } = bank;
  const count = (sql: AnySql) => sql`select from check_balances(0, ${partnerId}, 1, 1000)`;
  await trade(instances[0]!, bank);
  await count(checking.sql);
  await trade(instances[0]!, bank);
  const earlier = await database.sql.begin(async (sql) => {
    await sql`select from balance_checkpoints where partner_id = ${partnerId} for no key update`;
    const done = count(checkingToo.sql).then(() => {});
    await until(async () => {
      const waiting = await database.sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length > 0;
    });
    await trade(instances[1]!, bank);
    await count(sql);
    return { done };
  });
  await earlier.done;
  const [row] = await database.sql<{ upTo: bigint; last: bigint }[]>`
    select up_to as "upTo", last_transfer as last from accounts join balance_checkpoints using (partner_id)
    where partner_id = ${partnerId}`;
  assertEquals(row!.upTo, row!.last);
});
