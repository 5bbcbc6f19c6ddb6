import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  type Database,
  migrate,
  openDatabase,
  readDatabaseUrl,
  schemaHash,
  startEmbedded,
} from "@sabika/core/store";

/** A migrated database of one's own. */
export type TestDatabase = Awaited<ReturnType<typeof openEmbedded>>;

/** Which database the tests run on: what the runner set, else PGlite unless a server is named. */
function testDatabaseKind(): "postgresql" | "pglite" {
  const wanted = process.env.SABIKA_TEST_DATABASE;
  if (wanted === "pglite" || wanted === "postgresql") return wanted;
  return process.env.TEST_DATABASE_URL ? "postgresql" : "pglite";
}

/**
 * Opens a fresh, migrated, empty database: PGlite in memory behind its socket, or one made on
 * `TEST_DATABASE_URL` from a template.
 */
export async function openTestDatabase(
  options: { maxConnections?: number } = {},
): Promise<TestDatabase> {
  return testDatabaseKind() === "pglite" ? await openEmbedded(options) : await openServer(options);
}

async function openEmbedded(options: { maxConnections?: number }) {
  const embedded = await startEmbedded({ folder: null, snapshot: await readSnapshot() });
  const database = openDatabase(embedded.url, { maxConnections: 4, ...options });
  return {
    database,
    /** To open more connections, or other processes', to it. */
    url: embedded.url,
    kind: "pglite",
    /** Closes the connections and removes the database. */
    async close() {
      await database.close();
      await embedded.stop();
    },
  };
}

/** A migrated data folder, made once and kept in the temporary folder by the schema's hash. */
async function readSnapshot(): Promise<Blob> {
  const folder = join(tmpdir(), `sabika-test-${process.getuid?.() ?? 0}`);
  const path = join(folder, `pglite-${await schemaHash()}.tar`);
  try {
    return new Blob([await readFile(path)]);
  } catch {
    const embedded = await startEmbedded({ folder: null });
    const database = openDatabase(embedded.url, { maxConnections: 1 });
    await migrate(database);
    await database.close();
    const snapshot = await embedded.pglite.dumpDataDir("none");
    await embedded.stop();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const own = `${path}.${process.pid}`;
    await writeFile(own, new Uint8Array(await snapshot.arrayBuffer()));
    await rename(own, path);
    return snapshot;
  }
}

async function openServer(options: { maxConnections?: number }): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) throw new Error("SABIKA_TEST_DATABASE=postgresql needs TEST_DATABASE_URL");
  const admin = openDatabase(server, { maxConnections: 1 });
  const template = `sabika_template_${await schemaHash()}`;
  const name = `sabika_test_${process.pid}_${crypto.randomUUID().slice(0, 8)}`;
  try {
    await makeTemplate(admin, server, template);
    await admin.sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await admin.close();
  }
  const url = withDatabase(server, name);
  const database = openDatabase(url, { maxConnections: 4, ...options });
  return {
    database,
    url,
    kind: "postgresql",
    async close() {
      await database.close();
      const last = openDatabase(server, { maxConnections: 1 });
      await last.sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await last.close();
    },
  };
}

async function makeTemplate(admin: Database, server: string, template: string): Promise<void> {
  const exists = async () =>
    (await admin.sql`select 1 from pg_database where datname = ${template}`).length > 0;
  if (await exists()) return;
  await admin.sql`set lock_timeout = 0`;
  await admin.sql`select pg_advisory_lock(730500002)`;
  try {
    if (await exists()) return;
    const draft = `${template}_draft`;
    await admin.sql.unsafe(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await admin.sql.unsafe(`CREATE DATABASE ${draft}`);
    const database = openDatabase(withDatabase(server, draft), { maxConnections: 1 });
    await migrate(database);
    await database.close();
    await admin.sql.unsafe(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  } finally {
    await admin.sql`select pg_advisory_unlock(730500002)`;
  }
}

/** The same server, another database. */
function withDatabase(url: string, name: string): string {
  const target = readDatabaseUrl(url);
  const password = target.password === undefined ? "" : `:${encodeURIComponent(target.password)}`;
  const query = new URLSearchParams({ host: target.host, port: String(target.port) });
  return `postgres://${encodeURIComponent(target.user)}${password}@/${name}?${query}`;
}
