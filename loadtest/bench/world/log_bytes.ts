import type { Sql } from "@sabika/database";

/** The bytes that the database server has written to its log so far. */
export async function logBytes(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ bytes: bigint }[]>`
    select (pg_current_wal_lsn() - '0/0')::bigint as bytes`;
  return row!.bytes;
}
