import type { Database } from "./database.ts";

/**
 * Identifies a running database: the text differs after each start, for each cluster, and for each
 * timeline, as after a restore or a promotion. The embedded database's is always empty.
 */
export async function readIncarnation({ sql, kind }: Database): Promise<string> {
  if (kind === "pglite") return "";
  const [row] = await sql<{ incarnation: string }[]>`
    select concat_ws(' ', (select system_identifier from pg_control_system()),
      case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
      extract(epoch from pg_postmaster_start_time())) as incarnation`;
  return row!.incarnation;
}
