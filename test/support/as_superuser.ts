import { openDatabase, type Sql } from "@sabika/database";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";

/** Runs statements in the database `postgres` of a server, in one superuser session. */
export async function asSuperuser<T>(
  { socketUrl }: Pick<RunningPostgreSQL, "socketUrl">,
  body: (sql: Sql) => Promise<T>,
): Promise<T> {
  const { sql, close } = openDatabase(socketUrl, { maxConnections: 1 });
  try {
    return await body(sql);
  } finally {
    await close();
  }
}
