import type { Database } from "@sabika/database";

/** An amount, in halalas and in micrograms, that no run spends. */
const PLENTY = 1_000_000_000_000_000n;

/**
 * Gives every partner of a database more money and gold than it can spend; by transfers, because the server
 * suspends a partner whose balances are not the sums of its transfers.
 */
export async function givePlenty({ sql }: Database): Promise<void> {
  await sql`
    select post_transfer(partner_id, t.asset, t.debit, t.credit, ${PLENTY}::bigint, t.kind, gen_random_uuid())
    from accounts, (values ('SAR', 'bank', 'cash', 'funding'), ('XAU', 'vault', 'allocation', 'allocation'))
      as t (asset, debit, credit, kind)
    order by partner_id`;
}
