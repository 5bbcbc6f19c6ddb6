import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Database, openDatabase, readDatabaseUrl, startEmbedded } from "@sabika/database";
import {
  type DatabaseRole,
  makeDatabaseLogin,
  makeDatabaseRoles,
  migrate,
  schemaHash,
} from "@sabika/service/schema";
import { withLock } from "../../tools/programs/lock.mjs";
import { withoutTemplates } from "./without_templates.ts";

/** A migrated database of a test, with its URLs. */
export type TestDatabase = Awaited<ReturnType<typeof openEmbedded>>;

/** Returns the database that tests run on: the runner's choice, or PGlite unless a server is set. */
function testDatabaseKind(): "postgresql" | "pglite" {
  const wanted = process.env.SABIKA_TEST_DATABASE;
  if (wanted === "pglite" || wanted === "postgresql") return wanted;
  return process.env.TEST_DATABASE_URL ? "postgresql" : "pglite";
}

/** The server of a test's database, and its largest number of connections (4 by default). */
export interface TestDatabaseOptions {
  maxConnections?: number;
  /** The superuser URL of the PostgreSQL to make it on; by default the runner's choice. */
  server?: string;
}

/**
 * Opens a new, migrated, empty database: PGlite in memory behind a socket, or a copy of a template on the
 * server of the options or of `TEST_DATABASE_URL`.
 */
export async function openTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { server = process.env.TEST_DATABASE_URL, ...rest } = options;
  if (options.server === undefined && testDatabaseKind() === "pglite") {
    return await openEmbedded(rest);
  }
  if (!server) throw new Error("SABIKA_TEST_DATABASE=postgresql needs TEST_DATABASE_URL");
  return await openServer(server, rest);
}

async function openEmbedded(options: { maxConnections?: number }) {
  const embedded = await startEmbedded({ folder: null, snapshot: await readSnapshot() });
  const database = openDatabase(embedded.url, { maxConnections: 4, ...options });
  return {
    /** Opened as a superuser, for preparing a test. */
    database,
    /** Opened as a server does: as a member of `sabika_app`. */
    app: database,
    /** The superuser's URL, for further connections and other processes. */
    url: embedded.url,
    /** Like `url`, but for a member of this role. The embedded database has only one user. */
    urlAs: (_role: DatabaseRole) => embedded.url,
    kind: "pglite",
    /** Closes the connections and removes the database. */
    async close() {
      await database.close();
      await embedded.stop();
    },
  };
}

/**
 * Reads a migrated data folder, which is made once per schema hash and kept in the temporary folder.
 * Opening it is a crash recovery, which is quick: after a checkpoint there is nothing to redo, and the
 * buffers are few.
 */
async function readSnapshot(): Promise<Blob> {
  const folder = join(tmpdir(), `sabika-test-${process.getuid?.() ?? 0}`);
  const path = join(folder, `pglite-${await schemaHash()}-checkpoint.tar`);
  if (!existsSync(path)) {
    await withLock(path, async () => {
      if (existsSync(path)) return; // made by the process that held the lock
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = `${path}.${process.pid}`;
      await writeFile(temporary, await makeSnapshot());
      await rename(temporary, path);
    });
  }
  return new Blob([await readFile(path)]);
}

async function makeSnapshot(): Promise<Uint8Array> {
  const embedded = await startEmbedded({ folder: null });
  const database = openDatabase(embedded.url, { maxConnections: 1 });
  await migrate(database);
  await database.close();
  await embedded.pglite.exec("ALTER SYSTEM SET shared_buffers = '16MB'");
  await embedded.pglite.exec("CHECKPOINT");
  const dump = await embedded.pglite.dumpDataDir("none");
  await embedded.stop();
  return withoutTemplates(new Uint8Array(await dump.arrayBuffer()));
}

async function openServer(
  server: string,
  options: { maxConnections?: number },
): Promise<TestDatabase> {
  const admin = openDatabase(server, { maxConnections: 1 });
  const template = `sabika_template_${await schemaHash()}`;
  const name = `sabika_test_${process.pid}_${crypto.randomUUID().slice(0, 8)}`;
  try {
    await makeTemplate(admin, server, template);
    // The copies of the files take half the time of their writes to the log, which nobody replays here.
    await admin.sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
    // Privileges on a database are not copied from its template.
    await admin.sql.unsafe(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC;
      GRANT CONNECT ON DATABASE ${name} TO ${ROLES.join()}`);
  } finally {
    await admin.close();
  }
  const url = withDatabase(server, name);
  const urlAs = (role: DatabaseRole) => withDatabase(server, name, loginOf(role));
  const database = openDatabase(url, { maxConnections: 4, ...options });
  const app = openDatabase(urlAs("sabika_app"), { maxConnections: 4, ...options });
  return {
    database,
    app,
    url,
    urlAs,
    kind: "postgresql",
    async close() {
      await Promise.all([database.close(), app.close()]);
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
    await makeDatabaseRoles(database);
    for (const role of ROLES) await makeDatabaseLogin(database, { ...loginOf(role), role });
    await migrate(database);
    await database.close();
    await admin.sql.unsafe(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  } finally {
    await admin.sql`select pg_advisory_unlock(730500002)`;
  }
}

const ROLES = [
  "sabika_owner",
  "sabika_app",
  "sabika_operator",
  "sabika_break_glass",
  "sabika_read",
] as const;

/** Returns the login of tests that is a member of a role; all databases of a server share it. */
const loginOf = (role: DatabaseRole) => ({ name: `${role}_test`, password: `${role}-7f3b61c2` });

/** Replaces a URL's database, and its user if one is passed. */
function withDatabase(
  url: string,
  name: string,
  user?: { name: string; password: string },
): string {
  const target = readDatabaseUrl(url);
  const login = user ?? { name: target.user, password: target.password };
  const password = login.password === undefined ? "" : `:${encodeURIComponent(login.password)}`;
  const query = new URLSearchParams({
    host: target.servers.map(({ host }) => host).join(),
    port: target.servers.map(({ port }) => port).join(),
    ...(target.followsPrimary ? { target_session_attrs: "read-write" } : {}),
  });
  return `postgres://${encodeURIComponent(login.name)}${password}@/${name}?${query}`;
}
