import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { type BalanceDifference, checkBalances } from "./check_balances.ts";

const { database, app, trading, close } = await openTestMarket();
const { sql } = database;
after(close);
const MONEY = { cashHalalas: 100_000_000n };
const banks: TestPartner[] = [];
for (let n = 0; n < 5; n++) banks.push(await admitTestPartner(database, MONEY));
const [bank, other] = banks as [TestPartner, TestPartner];

async function buy(who: TestPartner, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await trade(trading, who);
}

/** Returns the number of a partner's last verified transfer, and of its last transfer. */
async function progress({ partnerId }: TestPartner): Promise<bigint[]> {
  const [row] = await sql<{ upTo: bigint | null; last: bigint }[]>`
    select up_to as "upTo", last_transfer as last
    from accounts left join balance_checkpoints using (partner_id)
    where partner_id = ${partnerId}`;
  return [row!.upTo ?? 0n, row!.last];
}

/** Moves money without a transfer, as a superuser can. */
const move = ({ partnerId }: TestPartner, halalas: bigint) =>
  sql`update accounts set cash_halalas = cash_halalas + ${halalas},
    bank_halalas = bank_halalas - ${halalas} where partner_id = ${partnerId}`;

test("correct balances have no differences, and counted transfers are not counted again", async () => {
  await buy(bank, 2);
  assertEquals(await progress(bank), [0n, 6n]);
  assertEquals(await checkBalances(app.sql), []);
  assertEquals(await progress(bank), [6n, 6n]);
  await buy(bank, 1);
  assertEquals(await checkBalances(app.sql), []);
  assertEquals(await progress(bank), [8n, 8n]);
  const [row] = await sql<{ same: boolean }[]>`
    select (a.cash_halalas, a.house_cash_halalas, a.withdrawals_halalas, a.bank_halalas,
        a.gold_micrograms, a.allocation_micrograms, a.vault_micrograms)
      = (c.cash_halalas, c.house_cash_halalas, c.withdrawals_halalas, c.bank_halalas,
        c.gold_micrograms, c.allocation_micrograms, c.vault_micrograms) as same
    from accounts a join balance_checkpoints c using (partner_id)
    where partner_id = ${bank.partnerId}`;
  assertEquals(row!.same, true);
});

test("a long past is counted in parts, over several rounds", async () => {
  await buy(bank, 4);
  const size = { partners: 2, transfers: 3, steps: 2 };
  assertEquals(await checkBalances(app.sql, { size }), []);
  assertEquals(await progress(bank), [14n, 16n]);
  assertEquals(await checkBalances(app.sql, { size }), []);
  assertEquals(await progress(bank), [16n, 16n]);
  for (const bank of banks) {
    const [upTo, last] = await progress(bank);
    assertEquals(upTo, last);
  }
});

test("a balance changed by hand is found with its difference, until it is corrected", async () => {
  const differences = (by: bigint, cash: bigint): BalanceDifference[] => [
    { subject: "cash", asset: "SAR", expected: cash, actual: cash + by },
    { subject: "bank", asset: "SAR", expected: -100_000_000n, actual: -100_000_000n - by },
  ];
  await buy(other, 1);
  await move(other, 100n);
  await buy(other, 1);
  const [row] = await sql<{ cash: bigint }[]>`
    select cash_halalas as cash from accounts where partner_id = ${other.partnerId}`;
  const wrong = { partnerId: other.partnerId, differences: differences(100n, row!.cash - 100n) };
  // The first of several steps finds it; it is still new at the end of the round.
  const size = { partners: 50, transfers: 4, steps: 3 };
  assertEquals(await checkBalances(app.sql, { size }), [{ ...wrong, isNew: true }]);
  assertEquals(await checkBalances(app.sql), [{ ...wrong, isNew: false }]);
  await move(other, -100n);
  assertEquals(await checkBalances(app.sql), []);
  await move(other, -1n);
  assertEquals((await checkBalances(app.sql))?.map(({ isNew }) => isNew), [true]);
  await move(other, 1n);
  assertEquals(await checkBalances(app.sql), []);
});

test("missing transfers are found, both before and after the checkpoint", async () => {
  const { partnerId } = bank;
  for (const by of [1n, -2n]) {
    await sql`update accounts set last_transfer = last_transfer + ${by}
      where partner_id = ${partnerId}`;
    const found = await checkBalances(app.sql);
    assertEquals(found?.map(({ differences }) => differences.map(({ subject }) => subject)), [
      ["transfers"],
    ]);
    await sql`update accounts set last_transfer = last_transfer - ${by}
      where partner_id = ${partnerId}`;
    assertEquals(await checkBalances(app.sql), []);
  }
});

test("a partner whose balances are right is not suspended for them", async () => {
  const { partnerId } = bank;
  const [row] = await sql`select suspend_for_balances(${partnerId}::integer, '{}') as stopped,
    (select status from partners where partner_id = ${partnerId}::integer) as status`;
  assertEquals([row!["stopped"], row!["status"]], [false, "active"]);
});

test("no round begins too soon after another, and one does where the clock was set back", async () => {
  assertEquals(await checkBalances(app.sql, { atLeastSecondsApart: 600 }), undefined);
  for (const change of ["- interval '10 minutes'", "+ interval '1 day'"]) {
    await sql.unsafe(`update balance_round set finished_at = finished_at ${change}`);
    assertEquals(await checkBalances(app.sql, { atLeastSecondsApart: 600 }), []);
  }
});
