import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { openDatabase, startEmbedded } from "@sabika/database";
import { migrateDatabase } from "@sabika/office/people";
import { SchemaError } from "@sabika/service/schema";
import { type DataFolder, StartError } from "@sabika/deployment/folders";

/**
 * Opens and migrates the embedded database of the data folder, or the PostgreSQL at `databaseUrl`.
 *
 * @param now returns epoch milliseconds
 * @throws {StartError} when that PostgreSQL cannot be used, or a later release has migrated the database
 */
export async function openSandboxDatabase(
  folder: DataFolder,
  databaseUrl: string | undefined,
  now: () => number,
) {
  const chosenUrl = databaseUrl ?? await readUrlOfLastStart(folder);
  const embedded = chosenUrl === undefined
    ? await startEmbedded({ folder: folder.database })
    : undefined;
  const url = chosenUrl ?? embedded!.url;
  const database = openDatabase(url, { maxConnections: 2, applicationName: "sabika-sandbox" });
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  try {
    const actor = { who: "sandbox", from: "start" };
    await migrateDatabase({ database, actor, now, environment: "sandbox" });
  } catch (error) {
    await close();
    if (error instanceof SchemaError) throw new StartError(error.message);
    if (embedded !== undefined) throw error;
    const { code, message } = error as { code?: string; message: string };
    throw new StartError(
      `the database that --database-url names cannot be used (${code ?? message}): ` +
        `is it running, and may its user create tables there?`,
    );
  }
  return { url, database, close };
}

/** The URL of the external database that the folder was last used with; undefined without one. */
async function readUrlOfLastStart(folder: DataFolder): Promise<string | undefined> {
  if (existsSync(folder.database)) return undefined;
  const text = await readFile(folder.databaseUrlFile, "utf8").catch(() => "");
  return text.trim() || undefined;
}
