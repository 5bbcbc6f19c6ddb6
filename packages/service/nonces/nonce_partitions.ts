import { TIMESTAMP_WINDOW_SECONDS } from "@sabika/protocol";
import type { Sql } from "@sabika/database";

/**
 * Creates the partitions of the nonce store a day ahead, and drops those that are no longer needed. A
 * nonce is kept for the retention after its timestamp, which may lie one window before the time it was
 * spent. The database's clock decides, so that an instance whose clock is ahead frees no nonce.
 *
 * @param retentionSeconds how long a nonce stays spent
 */
export async function maintainNoncePartitions(sql: Sql, retentionSeconds: number): Promise<void> {
  const keptSeconds = retentionSeconds + TIMESTAMP_WINDOW_SECONDS;
  await sql`select maintain_nonce_partitions(${keptSeconds}::bigint)`;
}

/** The number of partitions that the nonce store has now. */
export async function countNoncePartitions(sql: Sql): Promise<number> {
  const [row] = await sql<{ partitions: number }[]>`
    select count(*)::int as partitions from pg_inherits where inhparent = 'nonces'::regclass`;
  return row!.partitions;
}
