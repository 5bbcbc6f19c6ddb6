import type { Environment } from "@sabika/protocol";
import type { Database } from "@sabika/database";

/** Reads the environment of a database of any schema version; undefined for a new database. */
export async function readEnvironment({ sql }: Database): Promise<Environment | undefined> {
  const [table] = await sql`select to_regclass('deployment') is not null as exists`;
  if (table!["exists"] !== true) return undefined;
  const [row] = await sql<{ environment: Environment }[]>`select environment from deployment`;
  return row?.environment;
}
