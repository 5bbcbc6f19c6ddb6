import { drizzle, type Sql } from "@sabika/database";
import { accounts } from "./tables.ts";

/** Reads the accounts of all partners, by the partner's number. */
export async function readAccounts(sql: Sql): Promise<Map<number, typeof accounts.$inferSelect>> {
  const rows = await drizzle(sql).select().from(accounts);
  return new Map(rows.map((row) => [row.partnerId, row]));
}
