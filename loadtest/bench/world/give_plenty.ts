import type { Database } from "@sabika/core";

/** More than any run spends: halalas as well as micrograms. */
const PLENTY = 1_000_000_000_000_000n;

/**
 * Gives every partner of a database what no real one has: money and gold without end. By transfers,
 * as the server suspends a partner whose balances are not the sums of its transfers.
 */
export async function givePlenty({ sql }: Database): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`
      insert into transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
        credit_account, source_kind)
      select partner_id, last_transfer + leg, ${PLENTY}, now(), gen_random_uuid(), asset, debit, credit, kind
      from accounts,
        (values (1, 'SAR', 'bank', 'cash', 'funding'), (2, 'XAU', 'vault', 'allocation', 'allocation'))
        as given (leg, asset, debit, credit, kind)`;
    await sql`
      update accounts set last_transfer = last_transfer + 2,
        bank_halalas = bank_halalas - ${PLENTY}, cash_halalas = cash_halalas + ${PLENTY},
        vault_micrograms = vault_micrograms - ${PLENTY},
        allocation_micrograms = allocation_micrograms + ${PLENTY}`;
  });
}
