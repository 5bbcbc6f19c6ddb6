import type { Environment } from "@sabika/protocol";
import { migrate, type Migration } from "../store/migrate.ts";

import type { SchemaRelease } from "../store/schema_release.ts";
import { SchemaError } from "../store/schema_state.ts";
import type { AdminContext } from "./admin_context.ts";
import { writeAudit } from "./audit.ts";
import { readEnvironment } from "./read_environment.ts";

/**
 * Brings the database to this release, or to a given one, with an audit entry that has the versions
 * and the functions' hashes before and after (Decision D49).
 *
 * @param admin.environment that the database must be of, unless it is new
 * @throws {SchemaError} when it is of another, or no longer serves programs of the release
 */
export async function migrateDatabase(
  admin: Pick<AdminContext, "database" | "actor" | "now"> & { environment?: Environment },
  release?: SchemaRelease,
): Promise<Migration> {
  const found = await readEnvironment(admin.database);
  if (found !== undefined && admin.environment !== undefined && found !== admin.environment) {
    throw new SchemaError(`this database belongs to ${found}, not to ${admin.environment}`);
  }
  return await migrate(admin.database, {
    ...(release === undefined ? {} : { release }),
    record: (sql, { from, to, steps }) =>
      writeAudit(sql, admin, "schema.migrate", null, {
        from_version: from.version,
        to_version: to.version,
        serves_from: to.servesFrom,
        functions_before: from.functionsHash,
        functions_after: to.functionsHash,
        steps,
      }),
  });
}
