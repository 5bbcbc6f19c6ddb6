import type { Sql } from "@sabika/database";

/** Reads how many bytes the database server has written to its write-ahead log. */
export async function logBytes(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ bytes: bigint }[]>`
    select (pg_current_wal_lsn() - '0/0')::bigint as bytes`;
  return row!.bytes;
}
