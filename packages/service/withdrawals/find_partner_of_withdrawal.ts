import { sql } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { accounts } from "../ledger/tables.ts";
import { partners } from "../partners/tables.ts";
import { withdrawals } from "./tables.ts";

/**
 * Finds the partner of a withdrawal in this database. Withdrawals are indexed by partner and id, so this
 * costs an index look-up for each partner.
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
