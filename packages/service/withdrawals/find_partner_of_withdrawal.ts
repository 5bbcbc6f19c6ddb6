import { sql } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { accounts } from "../ledger/tables.ts";
import { partners } from "../partners/tables.ts";
import { withdrawals } from "./tables.ts";

/**
 * Whose a withdrawal of this database is. They are found by partner and id: each partner is asked, which
 * is a few index reads.
 */
export async function findPartnerOfWithdrawal(
  connection: AnySql,
  uuid: string,
): Promise<number | undefined> {
  const { partnerId } = partners;
  const [row] = await drizzle(connection).select({ partnerId }).from(partners).where(sql`(
    select true from ${withdrawals} join ${accounts} using (partner_id)
    where ${withdrawals.partnerId} = ${partnerId} and ${withdrawals.withdrawalId} = ${uuid})`);
  return row?.partnerId;
}
