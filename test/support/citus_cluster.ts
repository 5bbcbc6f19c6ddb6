import process from "node:process";
import { openDatabase } from "@sabika/database";
import { makeDatabaseLogin, makeDatabaseRoles } from "@sabika/service/schema";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";

type Server = Awaited<ReturnType<typeof runPostgreSQL>>;
export type CitusCluster = Awaited<ReturnType<typeof runCitus>>;

/** As docs/scale.md says. */
const SETTINGS = {
  shared_preload_libraries: "citus",
  wal_level: "logical",
  max_prepared_transactions: "50",
  "citus.node_conninfo": "sslmode=prefer",
  "citus.enable_unsafe_triggers": "on",
};

/** PostgreSQL's programs: those that `SABIKA_TEST_CITUS` names, or those that every test uses. */
const binFolder = process.env.SABIKA_TEST_CITUS;

/** Why the tests of Citus cannot run here; undefined when they can. */
export async function whyNoCitus(): Promise<string | undefined> {
  const server = await runPostgreSQL({ durable: false, binFolder });
  const database = openDatabase(server.socketUrl, { maxConnections: 1 });
  try {
    const [found] = await database.sql<{ version: string }[]>`
      select default_version as version from pg_available_extensions where name = 'citus'`;
    if (found !== undefined) return undefined;
    return "no Citus is installed: SABIKA_TEST_CITUS names the folder of a PostgreSQL's programs that has it";
  } finally {
    await database.close();
    await server.stop();
  }
}

/** A coordinator and two workers on this machine, with the roles, and a database `cells` in each. */
export async function runCitus() {
  const servers: Server[] = [];
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    while (servers.length < 3) servers.push(await startNode());
    const [coordinator, ...workers] = servers as [Server, Server, Server];
    await at(urlOf(coordinator), async (statement) => {
      await statement(
        `select citus_set_coordinator_host('${coordinator.socketFolder}', ${coordinator.port})`,
      );
      for (const { socketFolder, port } of workers) {
        await statement(`select citus_add_node('${socketFolder}', ${port})`);
      }
    });
    const admin = openDatabase(urlOf(coordinator), { maxConnections: 1 });
    await makeDatabaseRoles(admin);
    await makeDatabaseLogin(admin, {
      name: "app",
      password: crypto.randomUUID(),
      role: "sabika_app",
    });
    // What functions do with their owner's rights, nodes ask of one another in its name.
    await admin.sql.unsafe("alter role sabika_owner login");
    await admin.close();
    return { coordinator, workers: workers as [Server, Server], urlOf, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The URL of a node's database, by its socket, which asks nobody for a password. */
function urlOf({ socketFolder, port }: Server, user = "sabika", name = "cells"): string {
  return `postgres://${user}@/${name}?host=${encodeURIComponent(socketFolder)}&port=${port}`;
}

async function startNode(): Promise<Server> {
  const server = await runPostgreSQL({ durable: false, settings: SETTINGS, binFolder });
  await at(urlOf(server, "sabika", "postgres"), async (statement) => {
    // How a node reaches itself.
    await statement(`alter system set citus.local_hostname = '${server.socketFolder}'`);
    await statement("select pg_reload_conf()");
    await statement("create database cells");
  });
  await at(urlOf(server), (statement) => statement("create extension citus"));
  return server;
}

async function at(
  url: string,
  run: (statement: (text: string) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const database = openDatabase(url, { maxConnections: 1 });
  try {
    await run(async (text) => await database.sql.unsafe(text));
  } finally {
    await database.close();
  }
}
