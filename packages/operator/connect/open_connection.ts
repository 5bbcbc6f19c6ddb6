import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Database, findEmbedded, migrate, openDatabase, startEmbedded } from "@sabika/core";
import { RefusedError } from "../outcome.ts";

/** An open database of the service, whatever it runs on. */
export interface Connection {
  database: Database;
  close(): Promise<void>;
}

/** While a sandbox starts, its folder is taken and its socket not there yet. */
const PATIENCE_MS = 15_000;

/**
 * Opens the service's database: the one that is given by URL, else that of the data folder: through the socket
 * of the sandbox that runs on it, or the folder itself when none does (Decision D45).
 *
 * @throws RefusedError when there is nothing there, with the way out
 */
export async function openConnection(options: {
  databaseUrl: string | undefined;
  dataFolder: string;
}): Promise<Connection> {
  const url = options.databaseUrl ?? await findUrl(options.dataFolder);
  if (url !== undefined) return await connect(url, () => Promise.resolve());
  const folder = join(resolve(options.dataFolder), "database");
  const startedMs = performance.now();
  while (true) {
    try {
      const embedded = await startEmbedded({ folder });
      return await connect(embedded.url, () => embedded.stop());
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes("in use")) throw error;
      const running = await findEmbedded(folder);
      if (running !== undefined) return await connect(running, () => Promise.resolve());
      if (performance.now() - startedMs > PATIENCE_MS) {
        throw new RefusedError("database_unavailable", error.message);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Where the database of a data folder answers now; undefined when the folder is to be opened itself. */
async function findUrl(dataFolder: string): Promise<string | undefined> {
  const folder = resolve(dataFolder);
  const running = await findEmbedded(join(folder, "database"));
  if (running !== undefined) return running;
  const [noted, version] = await Promise.all(
    ["database.url", "version"].map((name) =>
      readFile(join(folder, name), "utf8").then((text) => text.trim(), () => undefined)
    ),
  );
  if (noted !== undefined && !isEmbeddedUrl(noted)) return noted;
  if (version !== undefined) return undefined;
  throw new RefusedError(
    "no_data",
    `there is no service's data in ${dataFolder}: start the sandbox once (npm start), or give ` +
      `--data FOLDER or --database-url URL`,
  );
}

function isEmbeddedUrl(url: string): boolean {
  return /^postgres:\/\/[^/]*\/pglite\?/.test(url);
}

async function connect(url: string, stop: () => Promise<void>): Promise<Connection> {
  let database: Database | undefined;
  try {
    database = openDatabase(url, { maxConnections: 2, applicationName: "sabika-operator" });
    await migrate(database);
  } catch (error) {
    await database?.close();
    await stop();
    const { code, message } = error as { code?: string; message: string };
    throw new RefusedError(
      "database_unavailable",
      `the database cannot be used: ${code ?? message}`,
    );
  }
  const opened = database;
  return {
    database: opened,
    async close() {
      await opened.close();
      await stop();
    },
  };
}
