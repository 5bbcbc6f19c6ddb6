import type { Database } from "@sabika/database";

/**
 * Whether a partner's accounts are in this database, and so its cell's (Decision D53).
 *
 * @param lastTransfer the number of a transfer that must be there, too; none by default
 */
export async function isHome(
  { sql }: Pick<Database, "sql">,
  partnerId: number,
  lastTransfer = 0n,
): Promise<boolean> {
  const found = await sql`select from accounts
    where partner_id = ${partnerId}::integer and last_transfer >= ${lastTransfer}::bigint`;
  return found.length === 1;
}
