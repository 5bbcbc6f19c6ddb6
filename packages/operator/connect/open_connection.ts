import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  type Database,
  type Embedded,
  findEmbedded,
  hostsOf,
  isPrivateLink,
  openDatabase,
  readDatabaseUrl,
  startEmbedded,
} from "@sabika/database";
import { RefusedError } from "../outcome.ts";

/** An open database of the service, whatever it runs on. */
export interface Connection {
  database: Database;
  close(): Promise<void>;
}

/** How long to retry: while another process starts or ends, it locks the folder without a socket. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;

/**
 * Opens the service's database: by its URL if one is given, else that of the data folder, through
 * the socket of the sandbox that runs on it, or directly when none does (Decision D45). Its schema is
 * neither checked nor changed.
 *
 * @param options.isSandbox whether the operator said that the database is a sandbox's, which may be
 * on another machine without TLS
 * @throws RefusedError with a remedy, when there is no database or the connection is not secure
 */
export async function openConnection(options: {
  databaseUrl: string | undefined;
  dataFolder: string;
  isSandbox: boolean;
}): Promise<Connection> {
  const { databaseUrl, dataFolder, isSandbox } = options;
  const url = databaseUrl ?? await readNotedUrl(dataFolder);
  if (url !== undefined) {
    if (!isSandbox) requirePrivateConnection(url);
    return await connect(url, () => Promise.resolve());
  }
  const folder = join(resolve(dataFolder), "database");
  const startedMs = performance.now();
  while (true) {
    const found = await openFolder(folder);
    if ("database" in found) return found;
    if (performance.now() - startedMs > PATIENCE_MS) {
      throw new RefusedError("database_unavailable", found.trouble);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The operator's changes move money: nobody may eavesdrop on the connection or impersonate the database. */
function requirePrivateConnection(url: string): void {
  let target;
  try {
    target = readDatabaseUrl(url);
  } catch (error) {
    throw new RefusedError("database_unavailable", (error as Error).message);
  }
  if (isPrivateLink(target)) return;
  throw new RefusedError(
    "database_unverified",
    `the database at ${hostsOf(target)} needs verified TLS: add sslmode=verify-full to the URL, ` +
      `and sslrootcert=FILE for an authority of your own; or, for a sandbox, give --environment sandbox`,
  );
}

/**
 * The embedded database: by the socket of the process that runs it, or the folder itself. While
 * that process starts or ends, the refusal says so.
 */
async function openFolder(folder: string): Promise<Connection | { trouble: string }> {
  const running = await findEmbedded(folder);
  if (running !== undefined) {
    try {
      return await connect(running, () => Promise.resolve());
    } catch (error) {
      return { trouble: (error as Error).message };
    }
  }
  let embedded: Embedded;
  try {
    embedded = await startEmbedded({ folder });
  } catch (error) {
    if (error instanceof Error && error.message.includes("in use")) {
      return { trouble: error.message };
    }
    throw error;
  }
  // Other commands may have connected meanwhile; they finish first.
  return await connect(embedded.url, () => embedded.stop(PATIENCE_MS));
}

/** The URL of a PostgreSQL noted in the data folder; undefined when it has the embedded database. */
async function readNotedUrl(dataFolder: string): Promise<string | undefined> {
  const folder = resolve(dataFolder);
  const [noted, version] = await Promise.all(
    ["database.url", "version"].map((name) =>
      readFile(join(folder, name), "utf8").then((text) => text.trim(), () => undefined)
    ),
  );
  if (noted !== undefined && !isEmbeddedUrl(noted)) return noted;
  if (version !== undefined || await findEmbedded(join(folder, "database")) !== undefined) {
    return undefined;
  }
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
    database = openDatabase(url, { maxConnections: 3, applicationName: "sabika-operator" });
    await database.sql`select 1`;
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
