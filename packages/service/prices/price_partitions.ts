import type { Sql } from "@sabika/database";

/**
 * Makes the partitions of this month and the next in the book of prices, and drops the months that are older than the
 * retention, at least a year (Decision D88). The newest price's month stays.
 */
export async function maintainPricePartitions(sql: Sql, retentionDays: number): Promise<void> {
  await sql`select maintain_price_partitions(${retentionDays}::integer)`;
}
