import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { clientIdOf } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestMarket } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { guardBalances } from "./guard_balances.ts";

const { database, app, close } = await openTestMarket();
const { sql } = database;
after(close);
await byForce(database, "insert into deployment (environment, data_version) values ('sandbox', 1)");
const [first, wronged, last] = [
  await admitTestPartner(database, { cashHalalas: 500n }),
  await admitTestPartner(database, { cashHalalas: 1_000n }),
  await admitTestPartner(database, { cashHalalas: 2_000n }),
];
const clientId = await clientIdOf(database, wronged.partnerId);

/** Each partner's status and revision, the register's revision, and how often `reconcile` suspended one. */
async function register(): Promise<unknown[]> {
  const rows = await sql<{ status: string; revision: number }[]>`
    select status, revision::int as revision from partners order by partner_id`;
  const [state] = await sql<{ revision: number; audited: string | null }[]>`
    select revision::int as revision, (select string_agg(concat_ws(' ', partner_id, detail::jsonb ->> 'bank'), '; ')
      from audit_log where action = 'partner.suspend' and actor = 'reconcile') as audited
    from register_state`;
  return [...rows.map(({ status, revision }) => `${status} ${revision}`), { ...state }];
}

const suspend = async (partnerId: number) => {
  const [row] = await app.sql<{ suspended: boolean }[]>`
    select suspend_for_balances(${partnerId}::integer, '{}') as suspended`;
  return row!.suspended;
};

test("exactly the partner whose balances are wrong is suspended, once, with an audit entry (F26)", async () => {
  await sql`update register_state set revision = 7`;
  await sql`update partners set revision = partner_id`;
  const ofFirst = `active ${first.partnerId}`, ofLast = `active ${last.partnerId}`;
  assertEquals(await guardBalances({ database: app, everySeconds: 0 }), []);
  assertEquals(await guardBalances({ database: app, everySeconds: 60 }), undefined);
  await sql`update accounts set cash_halalas = cash_halalas + 1, bank_halalas = bank_halalas - 1
    where partner_id = ${wronged.partnerId}`;
  const differences = { cash: "10 SAR, is 10.01 SAR", bank: "-10 SAR, is -10.01 SAR" };
  const audited = `${wronged.partnerId} ${differences.bank}`;

  const found = { clientId, differences, isNew: true, isStopped: true };
  assertEquals(await guardBalances({ database: app, everySeconds: 0 }), [found]);
  const stopped = [ofFirst, "suspended 8", ofLast, { revision: 8, audited }];
  assertEquals(await register(), stopped);

  const known = { ...found, isNew: false, isStopped: false };
  assertEquals(await guardBalances({ database: app, everySeconds: 0 }), [known]);
  assertEquals(await suspend(wronged.partnerId), false);
  assertEquals(await register(), stopped);

  await sql`update partners set status = 'active' where partner_id = ${wronged.partnerId}`;
  const again = { ...known, isStopped: true };
  assertEquals(await guardBalances({ database: app, everySeconds: 0 }), [again]);
  assertEquals(await register(), [
    ofFirst,
    "suspended 9",
    ofLast,
    { revision: 9, audited: `${audited}; ${audited}` },
  ]);
});

test("control suspends another cell's partner as it is told, and a cell nobody (D53)", async () => {
  await sql`insert into cells (cell_id) values ('b')`;
  await sql`update partners set cell_id = 'b' where partner_id = ${last.partnerId}`;
  await sql`update accounts set cash_halalas = cash_halalas + 1, bank_halalas = bank_halalas - 1
    where partner_id = ${first.partnerId}`;
  await byForce(database, "update deployment set cell_id = 'b'");
  const before = await register();
  for (const { partnerId } of [first, last]) {
    await assertRejects(() => suspend(partnerId), Error, "partners are suspended in control");
  }
  await assertRejects(
    () => guardBalances({ database: app, everySeconds: 0 }),
    Error,
    "partners are suspended in control",
  );
  assertEquals(await register(), before);
  await byForce(database, "update deployment set cell_id = 'main'");
  // Its balances are right here, where they are not its own.
  assertEquals(await suspend(last.partnerId), true);
  assertEquals((await register()).slice(0, 3), [before[0], before[1], "suspended 10"]);
});

test("an alarm says grams, riyals and numbers of transfers", async () => {
  await sql`update accounts set gold_micrograms = gold_micrograms + 1,
    vault_micrograms = vault_micrograms - 1, last_transfer = last_transfer + 1
    where partner_id = ${last.partnerId}`;
  const alarms = await guardBalances({ database: app, everySeconds: 0 });
  const ofLast = await clientIdOf(database, last.partnerId);
  const { gold, transfers } = alarms!.find(({ clientId }) => clientId === ofLast)!.differences;
  assertEquals([gold, transfers], ["0 g, is 0.000001 g", "2, is 3"]);
});
