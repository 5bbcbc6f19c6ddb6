import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestMarket, trade, value } from "../../../test/support/test_market.ts";
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
});

test("a long past is counted in parts, over several rounds", async () => {
  await buy(bank, 4);
  // The last page's.
  await buy(banks[4]!, 1);
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
  await buy(other, 1);
  await move(other, -1n);
  // The last of several steps finds it.
  const alone = { partners: 50, transfers: 1, steps: 50 };
  assertEquals((await checkBalances(app.sql, { size: alone }))?.map(({ isNew }) => isNew), [true]);
  await move(other, 1n);
  assertEquals(await checkBalances(app.sql), []);
});

test("missing transfers are found, both before and after the checkpoint", async () => {
  const { partnerId } = bank;
  for (const by of [1n, -2n]) {
    await sql`update accounts set last_transfer = last_transfer + ${by}
      where partner_id = ${partnerId}`;
    const [found] = await checkBalances(app.sql) ?? [];
    assertEquals(
      found?.differences.map(({ subject, asset, expected, actual }) => [
        subject,
        asset,
        actual - expected,
      ]),
      [["transfers", null, by]],
    );
    await sql`update accounts set last_transfer = last_transfer - ${by}
      where partner_id = ${partnerId}`;
    assertEquals(await checkBalances(app.sql), []);
  }
});

test("a transfer past the last number is found, whether one more or numbered anew", async () => {
  const { partnerId } = bank;
  const [row] = await sql<{ last: bigint }[]>`
    select last_transfer as last from accounts where partner_id = ${partnerId}`;
  const { last } = row!;
  const found = async () =>
    (await checkBalances(app.sql))?.map(({ partnerId, differences }) => [
      partnerId,
      ...differences.map(({ subject, expected, actual }) => `${subject} ${expected} ${actual}`),
    ]);
  // From the first transfer on, since what is counted is not counted again.
  await sql`delete from balance_checkpoints where partner_id = ${partnerId}`;
  const which = `where partner_id = ${partnerId} and number`;
  const cases = [
    [
      `insert into transfers select partner_id, number + 1, 1, posted_at, source_id, asset,
        debit_account, credit_account, source_kind from transfers ${which} = ${last}`,
      `delete from transfers ${which} > ${last}`,
    ],
    [
      `update transfers set number = number + 5 ${which} = ${last}`,
      `update transfers set number = number - 5 ${which} > ${last}`,
    ],
  ];
  const subjects = [];
  for (const [change, undo] of cases) {
    await byForce(database, change!);
    subjects.push(await found());
    await byForce(database, undo!);
  }
  assertEquals(subjects.map((found) => found?.map((partner) => partner.slice(0, 2))), [
    [[partnerId, `transfers ${last + 1n} ${last}`]],
    [[partnerId, `transfers ${last + 5n} ${last}`]],
  ]);
  assertEquals(await found(), []);
});

test("partners are compared in pages, each after the last", async () => {
  const page = async (after: number, partners: number) => {
    const rows = await app.sql<{ partner: number }[]>`
      select partner from check_balances(${after}::integer, null, ${partners}::integer, 1000)`;
    return rows.map(({ partner }) => partner);
  };
  const ids = banks.map(({ partnerId }) => partnerId);
  assertEquals(await page(0, 3), ids.slice(0, 3));
  assertEquals(await page(ids[2]!, 3), ids.slice(3));
});

/** The accounts of a partner, or what of them its checkpoint keeps. */
async function sums(table: "accounts" | "balance_checkpoints", { partnerId }: TestPartner) {
  const [row] = await sql<{ vat: number }[]>`
    select cash_halalas::int as cash, house_cash_halalas::int as house_cash,
      withdrawals_halalas::int as withdrawals, bank_halalas::int as bank, vat_halalas::int as vat,
      gold_micrograms::int as gold, allocation_micrograms::float8 as allocation,
      vault_micrograms::float8 as vault
    from ${sql(table)} where partner_id = ${partnerId}`;
  return { ...row };
}

test("a checkpoint has the sums of all accounts, and keeps them while a balance is wrong", async () => {
  const taxed = await admitTestPartner(database, { ...MONEY, settings: { vatPpm: 150_000n } });
  for (let round = 0; round < 2; round++) {
    await buy(taxed, 1);
    value(await trading.withdraw(taxed.withdraw(700n)));
    assertEquals(await checkBalances(app.sql), []);
    assertEquals(await sums("balance_checkpoints", taxed), await sums("accounts", taxed));
  }
  const before = await sums("accounts", taxed);
  assertEquals(new Set(Object.values(before)).size, 8);
  await buy(taxed, 1);
  await move(taxed, 1n);
  assertEquals((await checkBalances(app.sql))?.length, 1);
  assertEquals(await sums("balance_checkpoints", taxed), before);
  await move(taxed, -1n);
  assertEquals(await checkBalances(app.sql), []);
  assertEquals(await sums("balance_checkpoints", taxed), await sums("accounts", taxed));
});

test("a partner with exactly as many transfers as a statement counts is compared by it", async () => {
  await buy(other, 1);
  const count = async (transfers: number) => {
    const [row] = await app.sql`select is_behind, is_wrong, is_new
      from check_balances(0, ${other.partnerId}::integer, 1, ${transfers}::bigint)`;
    return Object.values(row!);
  };
  await move(other, 1n);
  // Of two.
  assertEquals(await count(2), [false, true, true]);
  await move(other, -1n);
  assertEquals(await count(1), [true, false, false]);
  assertEquals(await count(1), [false, false, false]);
});

test("a round writes a checkpoint only where something has changed", async () => {
  await admitTestPartner(database, { allocationMicrograms: 0n });
  const round = async () => {
    const found = await checkBalances(app.sql);
    const rows = await sql<{ version: string; differs: boolean }[]>`
      select concat_ws(' ', partner_id, xmin) as version, differs_since is not null as differs
      from balance_checkpoints order by partner_id`;
    return [
      found!.length,
      rows.filter(({ differs }) => differs).length,
      ...rows.map((r) => r.version),
    ];
  };
  const right = await round();
  assertEquals(right.slice(0, 2), [0, 0]);
  assertEquals(await round(), right);
  await move(other, 1n);
  const wrong = await round();
  assertEquals(wrong.slice(0, 2), [1, 1]);
  assertEquals(await round(), wrong);
  await move(other, -1n);
  assertEquals((await round()).slice(0, 2), [0, 0]);
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
