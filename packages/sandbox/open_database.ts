import {
  type Database,
  migrate,
  openDatabase,
  startEmbedded,
  writePrivateFile,
} from "@sabika/core";
import type { DataFolder } from "./data_folder.ts";
import { SandboxError } from "./sandbox_error.ts";

/** The sandbox's database, migrated. */
export interface SandboxDatabase {
  url: string;
  database: Database;
  close(): Promise<void>;
}

/**
 * Opens the embedded database in the data folder, or the one that is given.
 *
 * @throws {SandboxError} when the given one does not answer
 */
export async function openSandboxDatabase(
  folder: DataFolder,
  databaseUrl: string | undefined,
): Promise<SandboxDatabase> {
  const embedded = databaseUrl === undefined
    ? await startEmbedded({ folder: folder.database })
    : undefined;
  const url = databaseUrl ?? embedded!.url;
  const database = openDatabase(url, { maxConnections: 2, applicationName: "sabika-sandbox" });
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  try {
    await migrate(database);
    await writePrivateFile(folder.databaseUrlFile, `${url}\n`);
  } catch (error) {
    await close();
    if (embedded !== undefined) throw error;
    const { code, message } = error as { code?: string; message: string };
    throw new SandboxError(
      `the database of --database-url cannot be used (${
        code ?? message
      }): is it running, and may ` +
        `its user create tables there?`,
    );
  }
  return { url, database, close };
}
