import { eq, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { partners } from "../partners/tables.ts";
import { pools } from "./tables.ts";

/** Reads the id of the pool that a partner draws on, in control. */
export async function readPoolOf(sql: AnySql, partnerId: number): Promise<string> {
  const [row] = await drizzle(sql).select({ poolId: pools.poolId }).from(partners)
    .innerJoin(pools, eq(pools.poolNumber, expression`coalesce(${partners.poolNumber}, 1)`))
    .where(eq(partners.partnerId, partnerId));
  if (row === undefined) throw new Error(`partner ${partnerId} draws on no pool`);
  return row.poolId;
}
