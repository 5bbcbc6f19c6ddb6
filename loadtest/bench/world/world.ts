import { openDatabase } from "@sabika/database";
import { type RunningPostgreSQL, runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import type { Progress } from "../progress.ts";
import { initialisePgbench, type PgbenchTarget } from "./pgbench.ts";
import { createSite, type Site } from "./site.ts";

/** The surroundings of all measures: one durable PostgreSQL with pgbench's tables, and a site. */
export interface World {
  postgresql: RunningPostgreSQL;
  /** The name and version of the database server. */
  version: string;
  pgbench: PgbenchTarget;
  site: Site;
  close(): Promise<void>;
}

/** The number of the site's partners. */
export const PARTNERS = 100;

/**
 * Durable, as in production: a commit is on the disk before it is acknowledged. The other settings keep
 * checkpoints from falling into only some of the rounds.
 */
const SETTINGS = {
  shared_buffers: "1GB",
  max_wal_size: "16GB",
  checkpoint_timeout: "1h",
};

/** Starts the surroundings of all measures. */
export async function createWorld(progress: Progress): Promise<World> {
  progress.say("starting PostgreSQL with durable settings");
  const postgresql = await runPostgreSQL({ durable: true, settings: SETTINGS });
  try {
    return await furnish(postgresql, progress);
  } catch (error) {
    await postgresql.stop();
    throw error;
  }
}

async function furnish(postgresql: RunningPostgreSQL, progress: Progress): Promise<World> {
  const { socketFolder, port } = postgresql;
  const pgbench = { socketFolder, port, database: "comparison" };
  const version = await prepareComparison(postgresql.socketUrl);
  progress.say("making pgbench's tables");
  await initialisePgbench(pgbench);
  progress.say(`admitting ${PARTNERS} partners`);
  const site = await createSite(postgresql, "sabika", PARTNERS);
  return {
    postgresql,
    version: `PostgreSQL ${version}`,
    pgbench,
    site,
    async close() {
      await site.close();
      await postgresql.stop();
    },
  };
}

/** Creates pgbench's database, and returns the server's version. */
async function prepareComparison(url: string): Promise<string> {
  const admin = openDatabase(url, { maxConnections: 1 });
  await admin.sql.unsafe("create database comparison");
  const [row] = await admin.sql<{ version: string }[]>`
    select split_part(current_setting('server_version'), ' ', 1) as version`;
  await admin.close();
  return row!.version;
}
