import { dirname, join } from "node:path";
import { isExecutable, onPath } from "./on_path.ts";
import { findPostgreSQL } from "./postgresql_binaries.ts";

/**
 * The folder with `pg_dump` and `pg_restore`: that of the PostgreSQL that we run, else of one on the PATH.
 *
 * @throws Error when this machine has neither
 */
export async function findPgDump(): Promise<string> {
  const beside = await findPostgreSQL();
  if (isExecutable(join(beside, "pg_dump"))) return beside;
  const installed = onPath("pg_dump");
  if (installed !== undefined) return dirname(installed);
  throw new Error("install PostgreSQL's client programs: there is no pg_dump here");
}
