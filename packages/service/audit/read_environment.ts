import type { Environment } from "@sabika/protocol";
import type { Database } from "@sabika/database";

/** The environment that a database belongs to, whatever its schema; undefined for a new one. */
export async function readEnvironment({ sql }: Database): Promise<Environment | undefined> {
  const [table] = await sql`select to_regclass('deployment') is not null as exists`;
  if (table!["exists"] !== true) return undefined;
  const [row] = await sql<{ environment: Environment }[]>`select environment from deployment`;
  return row?.environment;
}
