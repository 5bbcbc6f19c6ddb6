import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { postTransfer } from "../../../test/support/post_transfer.ts";
import { openTestMarket, trade, value } from "../../../test/support/test_market.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";

const { database, trading, close } = await openTestMarket();
const { sql } = database;
after(close);

const ACCOUNTS = `cash_halalas, house_cash_halalas, withdrawals_halalas, bank_halalas, vat_halalas,
  gold_micrograms, allocation_micrograms, vault_micrograms`;

/** Two partners with other amounts, so that neither's are taken for the other's. */
const banks: TestPartner[] = [];
for (const cashHalalas of [100_000_000n, 90_000_000n]) {
  banks.push(await admitTestPartner(database, { cashHalalas, settings: { vatPpm: 150_000n } }));
}

/** Moves all accounts of both partners, of the second more. */
async function moveAll(): Promise<void> {
  for (const [index, bank] of banks.entries()) {
    for (let time = 0; time <= index; time++) await trade(trading, bank);
    await trade(trading, bank, "sell");
    await trade(trading, bank);
    value(await trading.withdraw(bank.withdraw(500n)));
  }
}

test("a recount keeps the numbers and balances of a minute before it", async () => {
  await moveAll();
  await sql`create table kept as select partner_id as partner, last_transfer + 1 as transfer,
    last_event as event, concat_ws(' ', ${sql.unsafe(ACCOUNTS)}) as balances from accounts`;
  const kept = await sql<{ balances: string }[]>`select * from kept order by 1`;
  assertEquals(kept.map(({ balances }) => new Set(["0", ...balances.split(" ")]).size), [9, 9]);
  await moveAll();
  for (const bank of banks) {
    value(await trading.fund(bank.fund(300n)));
    await trade(trading, bank);
    const { partnerId } = bank;
    const allocation = { asset: "XAU", debit: "vault", credit: "allocation" } as const;
    const source = { sourceKind: "allocation", sourceId: crypto.randomUUID() };
    await postTransfer(sql, { partnerId, ...allocation, ...source, amount: 9n });
  }
  // The last of the old events is within the margin: servers' clocks date some of them.
  await byForce(
    database,
    `update transfers set posted_at = now() - interval '61 s'
      from kept where partner = partner_id and number < transfer`,
    `update events set created_at = now() - case when sequence = event then interval '62 s'
        else interval '1 hour' end
      from kept where partner = partner_id and sequence <= event`,
  );
  await sql`select keep_recount()`;
  const found = await sql`
    select partner_id as partner, first_transfer as transfer, first_event as event,
      concat_ws(' ', ${sql.unsafe(ACCOUNTS)}) as balances from recounts order by 1`;
  assertEquals([...found], [...kept]);
});

test("keys of the last five million may be younger than a recount, and their generations are kept", async () => {
  // The second generation begins after 250,000 keys.
  for (const [keys, generation] of [[0, 1], [5_249_999, 1], [5_250_000, 2], [5_300_000, 3]]) {
    await sql`update accounts set last_key = ${keys!}`;
    await sql`select keep_recount()`;
    const found = await sql`select distinct first_generation as generation from recounts`;
    assertEquals(found.map((row) => row["generation"]), [generation]);
  }
});
