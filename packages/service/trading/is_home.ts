import type { Database } from "@sabika/database";

/** Whether a partner's accounts are in this database, and so its cell's (Decision D53). */
export async function isHome({ sql }: Database, partnerId: number): Promise<boolean> {
  const found = await sql`select from accounts where partner_id = ${partnerId}::integer`;
  return found.length === 1;
}
