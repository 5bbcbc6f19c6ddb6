import { drizzle } from "../store/drizzle.ts";
import { accounts, webhookLanes } from "../store/schema/mod.ts";
import type { AnySql } from "../store/sql.ts";

/**
 * Gives a partner its accounts and its webhook lane. To be called once, in the transaction that
 * admits the partner.
 */
export async function openAccounts(sql: AnySql, partnerId: number): Promise<void> {
  const db = drizzle(sql);
  await db.insert(accounts).values({ partnerId });
  await db.insert(webhookLanes).values({ partnerId });
}
