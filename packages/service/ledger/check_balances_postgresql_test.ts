import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type AnySql, openDatabase } from "@sabika/database";
import { actsOn, clientIdOf } from "../../../test/support/acts.ts";
import { holdLock } from "../../../test/support/hold_lock.ts";
import { openTestMarket, trade, value } from "../../../test/support/test_market.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { untilWaiting } from "../../../test/support/until_waiting.ts";
import { commandItem } from "../batches/command_batch.ts";
import { createTrading } from "../trading/create_trading.ts";
import { cancelWork } from "../withdrawals/cancel_withdrawals.ts";
import { withdrawalWork } from "../withdrawals/place_withdrawals.ts";
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
    await untilWaiting(database);
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

test("transfers and events have the time when their turn came, so that numbers rise with time", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
  const { partnerId } = bank;
  const [trading] = instances as [typeof instances[0]];
  const withdraw = async () => value(await trading.withdraw(bank.withdraw(100n))).id;
  const [first, second] = [await withdraw(), await withdraw()];
  const { id } = value(await trading.quote(bank.quote()));
  const partner = await clientIdOf(database, partnerId);
  const release = await holdLock(database, (sql) => sql`select lock_accounts(${partnerId})`);
  const writes = [
    trading.order(bank.order(id)),
    trading.fund(bank.fund(100n)),
    // Without their nonces, for which they would wait before.
    withdrawalWork(app).run([commandItem(bank.withdraw(100n), random)], false),
    cancelWork(app).run([commandItem(bank.cancel(first), random)], false),
    act("withdrawal.cancelled", { withdrawal: second }),
    act("funding.credit", { partner, amount_sar: "5.00", reference: "FT-1" }),
  ];
  await untilWaiting(database, writes.length);
  const [turn] = await database.sql<{ came: Date }[]>`
    select date_trunc('milliseconds', clock_timestamp()) as came`;
  await release();
  await Promise.all(writes);
  const [row] = await database.sql<{ early: string | null; all: number }[]>`
    select string_agg(kind, ' ') filter (where at < ${turn!.came}) as early, count(*)::int as all
    from (select source_kind, posted_at from transfers
        where partner_id = ${partnerId} and number > 4
      union all select type, created_at from events
        where partner_id = ${partnerId} and sequence > 2) as written (kind, at)`;
  assertEquals({ ...row }, { early: null, all: 13 });
});
