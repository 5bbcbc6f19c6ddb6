import { eq } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import { accounts } from "../ledger/tables.ts";

/** How much gold of the vault is allocated to a partner and not sold to it yet. */
export async function readAllocation(sql: Sql, partnerId: number): Promise<bigint> {
  const [row] = await drizzle(sql).select({ allocation: accounts.allocationMicrograms })
    .from(accounts).where(eq(accounts.partnerId, partnerId));
  return row?.allocation ?? 0n;
}
