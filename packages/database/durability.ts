import type { Database } from "./database.ts";

/** Reads which durability settings are on; `fsync` is always false for PGlite. Production needs all three. */
export async function durability(database: Database) {
  const [row] = await database.sql<{ fsync: string; commit: string; pages: string }[]>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('full_page_writes') as pages`;
  return {
    fsync: row?.fsync === "on" && database.kind !== "pglite",
    synchronousCommit: row?.commit !== "off",
    fullPageWrites: row?.pages === "on",
  };
}
