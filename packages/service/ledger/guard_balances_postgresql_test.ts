import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import type { AnySql } from "@sabika/database";
import { holdLock } from "../../../test/support/hold_lock.ts";
import { openTestMarket } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { untilWaiting } from "../../../test/support/until_waiting.ts";
import { lockAccounts } from "./open_accounts.ts";

const { database, app, close } = await openTestMarket();
after(close);
const [bank, neighbour] = [
  await admitTestPartner(database, { cashHalalas: 1_000n }),
  await admitTestPartner(database, { cashHalalas: 1_000n }),
];

const move = (sql: AnySql, halalas: number) =>
  sql`update accounts set cash_halalas = cash_halalas + ${halalas},
    bank_halalas = bank_halalas - ${halalas} where partner_id = ${bank.partnerId}`;

async function suspend(sql: AnySql): Promise<boolean> {
  const [row] = await sql<{ suspended: boolean }[]>`
    select suspend_for_balances(${bank.partnerId}::integer, '{}') as suspended`;
  return row!.suspended;
}

test("a partner whose balances are being corrected is not suspended, and nobody else is waited for", async () => {
  await move(database.sql, 1);
  const correct = await holdLock(database, (sql) => move(sql, -1));
  const outcome = suspend(app.sql);
  await untilWaiting(database).finally(correct);
  assertEquals(await outcome, false);

  await move(database.sql, 1);
  const { partnerId } = neighbour;
  const release = await holdLock(database, (sql) => lockAccounts(sql, partnerId));
  assertEquals(await suspend(app.sql).finally(release), true);
});

test("a partner that two instances find at once is suspended by one of them", async () => {
  await database.sql`update partners set status = 'active' where partner_id = ${bank.partnerId}`;
  const { second } = await app.sql.begin(async (sql) => {
    assertEquals(await suspend(sql), true);
    const second = suspend(app.sql);
    await untilWaiting(database);
    return { second };
  });
  assertEquals(await second, false);
});
