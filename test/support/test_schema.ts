import { openDatabase } from "@sabika/database";
import { makeDatabaseRoles, migrate } from "@sabika/service/schema";

/** A migrated schema in a database that may have others (Decision D53). */
export type TestSchema = Awaited<ReturnType<typeof openTestSchema>>;

/**
 * Makes a schema in a database and migrates it to this release.
 *
 * @param urls.url the database's URL for a superuser
 * @param urls.appUrl the database's URL for a member of `sabika_app`
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
    /** Opened as a superuser. */
    database,
    /** Opened as a server does, as a member of `sabika_app`. */
    app,
    async close() {
      await Promise.all([database.close(), app.close()]);
    },
  };
}
