import type { Database } from "@sabika/database";
import { makeDatabaseLogin, makeDatabaseRoles } from "@sabika/service/schema";

/**
 * Creates the roles of a database, and a login for its servers.
 *
 * @param database opened as a superuser with this URL
 * @returns the URL that a server in production uses (Decision D48)
 */
export async function makeServerRole(database: Database, url: string): Promise<string> {
  await makeDatabaseRoles(database);
  const [name, password] = ["server", "server-9d41c07e"];
  await makeDatabaseLogin(database, { name, password, role: "sabika_app" });
  return url.replace(/\/\/[^@]*@/, `//${name}:${password}@`);
}
