import type { Sql } from "@sabika/core/store";

/** What an order adds to; partitions count for their parent. */
const TABLES = ["quotes", "orders", "transfers", "events", "trade_keys", "nonces"];

/**
 * The bytes on the disk of each table that an order writes to, with its indexes.
 *
 * @param orders what they are divided by
 * @param before what had this size, divided by one, without the orders
 */
export async function bytesAnOrder(
  sql: Sql,
  orders: number,
  before: readonly (readonly [string, number])[] = [],
): Promise<[string, number][]> {
  const known = new Map(before);
  const sizes: [string, number][] = [];
  for (const table of TABLES) {
    const [row] = await sql<{ bytes: bigint }[]>`
      select sum(pg_total_relation_size(relid))::bigint as bytes from (
        select ${table}::regclass as relid union all
        select inhrelid from pg_inherits where inhparent = ${table}::regclass
      ) as parts`;
    sizes.push([table, (Number(row!.bytes) - (known.get(table) ?? 0)) / orders]);
  }
  return sizes;
}
