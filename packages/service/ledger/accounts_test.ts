import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { Account, Asset } from "@sabika/protocol";
import { byForce } from "../../../test/support/by_force.ts";
import { postTransfer } from "../../../test/support/post_transfer.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { openAccounts } from "./open_accounts.ts";

const { database, close } = await openTestDatabase();
const { sql } = database;
after(close);
await sql`insert into cells (cell_id) values ('b')`;

/** Adds a partner to the register, without accounts. */
async function register(name: string, cell: string): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into partners (client_id, name, settlement_iban, cell_id)
    values (${name}, ${name}, 'SA0380000000608010167519', ${cell}) returning partner_id as id`;
  return row!.id;
}

/** Whose accounts there are, with their pools, and that each has its webhook lane. */
async function opened(): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select concat_ws(' ', client_id, a.pool_number, l.partner_id - a.partner_id) as line
    from accounts a full join webhook_lanes l using (partner_id) join partners p using (partner_id)
    order by 1`;
  return rows.map(({ line }) => line);
}

test("a transfer moves its amount from one account of its asset to the other, and no other", async () => {
  const id = await register("moving", "main");
  await openAccounts(sql, id);
  const balances = async () => {
    const [row] = await sql<Record<string, number>[]>`
      select cash_halalas::int as cash, house_cash_halalas::int as house_cash,
        withdrawals_halalas::int as withdrawals, bank_halalas::int as bank, vat_halalas::int as vat,
        gold_micrograms::int as gold, allocation_micrograms::int as allocation,
        vault_micrograms::int as vault, last_transfer::int as transfers
      from accounts where partner_id = ${id}`;
    return { ...row };
  };
  const post = (asset: Asset, debit: Account, credit: Account, amount: bigint) =>
    postTransfer(sql, {
      partnerId: id,
      asset,
      debit,
      credit,
      amount,
      sourceKind: "order",
      sourceId: crypto.randomUUID(),
    });
  // What may not be negative is credited before.
  const pairs: [Asset, Account, Account][] = [
    ["SAR", "bank", "cash"],
    ["SAR", "house_cash", "withdrawals"],
    ["SAR", "cash", "house_cash"],
    ["SAR", "withdrawals", "bank"],
    ["XAU", "vault", "allocation"],
    ["XAU", "allocation", "gold"],
    ["XAU", "gold", "vault"],
  ];
  let amount = 10_000;
  for (const [asset, debit, credit] of pairs) {
    const expected = await balances();
    amount -= 7;
    await post(asset, debit, credit, BigInt(amount));
    expected[debit]! -= amount;
    expected[credit]! += amount;
    expected["transfers"]! += 1;
    assertEquals(await balances(), expected, `${debit} to ${credit}`);
  }
  const kept = await balances();
  await assertRejects(() => post("SAR", "cash", "gold", 1n), Error, "no two accounts of SAR");
  assertEquals(await balances(), kept);
});

test("control opens no accounts of another cell's partner, nor a cell of control's (D53)", async () => {
  const [ofMain, ofB] = [await register("of-main", "main"), await register("of-b", "b")];
  await assertRejects(() => openAccounts(sql, ofB), Error, `partner ${ofB} is not of this cell`);
  await byForce(
    database,
    "insert into deployment (environment, data_version, cell_id) values ('sandbox', 1, 'b')",
  );
  await assertRejects(
    () => openAccounts(sql, ofMain),
    Error,
    `partner ${ofMain} is not of this cell`,
  );
  await byForce(database, "update deployment set cell_id = 'main'");
  await openAccounts(sql, ofMain);
  assertEquals(await opened(), ["moving 1 0", "of-main 1 0"]);
});

test("a copied partner gets accounts in its own cell, unless it has some or has moved (D53)", async () => {
  await byForce(
    database,
    "update deployment set cell_id = 'b'",
    "truncate accounts, webhook_lanes, partners cascade",
    "alter table partners enable replica trigger partners_copied",
  );
  const copy = (id: number, name: string, cell: string, pool: number | null = null) =>
    `insert into partners (partner_id, client_id, name, settlement_iban, cell_id, pool_number)
      overriding system value
      values (${id}, '${name}', '${name}', 'SA0380000000608010167519', '${cell}', ${pool})`;
  await byForce(
    database,
    copy(1, "first", "b"),
    copy(2, "of-main", "main"),
    `insert into move_ends (move_id, partner_id, side) values (gen_random_uuid(), 3, 'left')`,
    copy(3, "moved", "b"),
    copy(4, "of-a-pool", "b", 7),
    // Copied anew.
    "delete from partners where partner_id = 1",
    copy(1, "first", "b", 3),
    copy(5, "of-no-pool", "b"),
  );
  assertEquals(await opened(), ["first 3 0", "of-a-pool 7 0", "of-no-pool 1 0"]);
});
