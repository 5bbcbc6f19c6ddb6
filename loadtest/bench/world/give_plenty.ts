import type { Database } from "@sabika/database";
import { postTransfer } from "@sabika/service/ledger";

/** An amount, in halalas and in micrograms, that no run spends. */
const PLENTY = 1_000_000_000_000_000n;

/**
 * Gives every partner of a database more money and gold than it can spend; by transfers, because the server
 * suspends a partner whose balances are not the sums of its transfers.
 */
export async function givePlenty({ sql }: Database): Promise<void> {
  const partners = await sql<{ partnerId: number }[]>`
    select partner_id as "partnerId" from accounts order by partner_id`;
  await sql.begin(async (sql) => {
    for (const { partnerId } of partners) {
      const grant = { partnerId, amount: PLENTY };
      await postTransfer(sql, {
        ...grant,
        asset: "SAR",
        debit: "bank",
        credit: "cash",
        sourceKind: "funding",
        sourceId: crypto.randomUUID(),
      });
      await postTransfer(sql, {
        ...grant,
        asset: "XAU",
        debit: "vault",
        credit: "allocation",
        sourceKind: "allocation",
        sourceId: crypto.randomUUID(),
      });
    }
  });
}
