import { openDatabase } from "@sabika/database";
import { makeDatabaseRoles, migrate } from "@sabika/service/schema";

/** A schema of its own, migrated, in a database that may have others (Decision D53). */
export type TestSchema = Awaited<ReturnType<typeof openTestSchema>>;

/**
 * Makes a schema in a database and brings it to this release.
 *
 * @param urls.url a superuser's
 * @param urls.appUrl that of a member of `sabika_app`
 */
export async function openTestSchema(
  { url, appUrl }: { url: string; appUrl: string },
  schema: string,
) {
  const open = (openAt: string) =>
    openDatabase(`${openAt}&options=-csearch_path%3D${schema}`, { maxConnections: 4 });
  const [database, app] = [open(url), open(appUrl)];
  await database.sql.unsafe(`create schema ${schema}`);
  await makeDatabaseRoles(database);
  await migrate(database);
  return {
    /** As a superuser. */
    database,
    /** As a server has it. */
    app,
    async close() {
      await Promise.all([database.close(), app.close()]);
    },
  };
}
