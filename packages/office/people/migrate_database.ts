import type { Environment } from "@sabika/protocol";
import { type AdminContext, readEnvironment, writeAudit } from "@sabika/service/audit";
import { migrate, type Migration, SchemaError, type SchemaRelease } from "@sabika/service/schema";
import type { AdminOutcome } from "@sabika/terms";
import { asAuthorised, type AskedAct, authorise } from "./authorise.ts";

type Owner = Pick<AdminContext, "database" | "actor" | "now" | "random" | "warrant">;

/**
 * Returns the context in which a database is migrated: with the warrant of the person who asks, unless
 * the database is new or from before there were people.
 */
export async function authoriseMigration(
  admin: Owner,
  ask: (environment: Environment) => Promise<AskedAct>,
): Promise<AdminOutcome<Owner>> {
  const environment = await readEnvironment(admin.database);
  const [table] = await admin.database.sql`select to_regclass('office') is not null as exists`;
  if (environment === undefined || table!["exists"] !== true) return { ok: true, value: admin };
  const acting = { ...admin, environment };
  const authorised = await authorise(acting, await ask(environment));
  return authorised.ok ? { ok: true, value: asAuthorised(acting, authorised.value) } : authorised;
}

/**
 * Brings the database to this release, or to `release`, with an audit entry that has the versions
 * and the functions' hashes before and after (Decision D49).
 *
 * @param admin.environment the environment that the database must belong to, unless it is new
 * @throws {SchemaError} when it belongs to another environment, or does not serve programs of the release
 */
export async function migrateDatabase(
  admin: Pick<AdminContext, "database" | "actor" | "now" | "warrant"> & {
    environment?: Environment;
  },
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
