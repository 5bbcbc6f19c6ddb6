import { eq } from "drizzle-orm";
import type { Sql } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { accounts } from "../store/schema/ledger.ts";

/** How much gold of the vault is allocated to a partner and not sold to it yet. */
export async function readAllocation(sql: Sql, partnerId: number): Promise<bigint> {
  const [row] = await drizzle(sql).select({ allocation: accounts.allocationMicrograms })
    .from(accounts).where(eq(accounts.partnerId, partnerId));
  return row?.allocation ?? 0n;
}
