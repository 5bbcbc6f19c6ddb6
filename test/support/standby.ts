import { readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readDatabaseUrl } from "@sabika/database";
import {
  type PostgreSQLSettings,
  type RunningPostgreSQL,
  runPostgreSQL,
} from "../../tools/programs/run_postgresql.ts";
import { asSuperuser } from "./as_superuser.ts";
import { backUp, giveToPostgreSQL } from "./base_backup.ts";
import { until } from "./until.ts";

/** Settings that a primary with a standby needs, even if it is started without durability. */
export const PRIMARY_SETTINGS = { synchronous_commit: "on" };

/** The write-ahead log that a primary keeps for a standby while that is being copied. */
const KEPT = "wal_keep_size = '512MB'";
const PATIENCE_MS = 60_000;

/** A second PostgreSQL to which the first replicates synchronously. */
export type Standby = Awaited<ReturnType<typeof runStandby>>;

/**
 * Starts a standby, for which each commit of the primary waits from then on.
 *
 * @param options.durable false: no fsync, for tests without power cuts; the log is still written at once
 */
export async function runStandby(
  primary: RunningPostgreSQL,
  { durable = true, settings = {} }: Partial<PostgreSQLSettings> = {},
) {
  await asSuperuser(primary, async (sql) => {
    const run = (statement: string) => sql.unsafe(statement);
    await run(`alter system set ${KEPT}`);
    await run("select pg_reload_conf()");
  });
  const folder = await backUp(primary);
  await makeStandby(folder, primary);
  const postgresql = await runPostgreSQL({
    durable,
    folder,
    settings: { ...settings, synchronous_commit: "on" },
  });
  await waitForStandby(primary);
  return {
    postgresql,
    /** Adds the standby's address to a URL of the primary, to follow whichever server is the primary. */
    followed(url: string): string {
      const { servers: [{ host, port }] } = readDatabaseUrl(url);
      const hosts = `${host}:${port},${host}:${postgresql.port}`;
      return `${url.replace(`${host}:${port}`, hosts)}?target_session_attrs=read-write`;
    },
    /** Promotes this standby to primary. */
    promote: () => promote(postgresql),
    async close() {
      await postgresql.stop();
      await rm(dirname(folder), { recursive: true, force: true });
    },
  };
}

/** Promotes a standby to primary. */
export async function promote(standby: RunningPostgreSQL): Promise<void> {
  await asSuperuser(standby, async (sql) => void await sql`select pg_promote(false)`);
  // What is replayed until then may cancel a statement.
  const isPromoted = () =>
    asSuperuser(
      standby,
      async (sql) => (await sql`select where not pg_is_in_recovery()`).length > 0,
    );
  await until(() => isPromoted().catch(() => false), PATIENCE_MS, "the standby is promoted", 50);
}

/**
 * Lets a standby replay nothing, so that it lags behind what it has on its disk.
 *
 * @returns a function that ends it, as a promotion does
 */
export async function holdReplay(
  standby: Pick<RunningPostgreSQL, "socketUrl">,
): Promise<() => Promise<void>> {
  await asSuperuser(standby, async (sql) => void await sql`select pg_wal_replay_pause()`);
  return () =>
    asSuperuser(
      standby,
      async (sql) => void await sql`select pg_wal_replay_resume() where pg_is_in_recovery()`,
    );
}

/** Makes the lost server a standby of the promoted one, from a copy of that one's files. */
export async function renewStandby(
  lost: RunningPostgreSQL,
  primary: RunningPostgreSQL,
): Promise<void> {
  await lost.kill();
  const { dataFolder } = lost;
  for (const name of await readdir(dataFolder)) {
    await rm(join(dataFolder, name), { recursive: true, force: true });
  }
  await backUp(primary, dataFolder);
  await makeStandby(dataFolder, primary);
  await lost.start();
  await waitForStandby(primary);
}

/** Waits until a primary's standby has caught up, and each commit waits for it. */
export async function waitForStandby(primary: RunningPostgreSQL): Promise<void> {
  await asSuperuser(primary, async (sql) => {
    const run = (statement: string) => sql.unsafe(statement);
    const untilOne = (condition: string) =>
      until(
        async () =>
          (await run(`select from pg_stat_replication where application_name = 'standby'
            and ${condition}`)).length === 1,
        PATIENCE_MS,
        `a standby whose ${condition}`,
      );
    // Commits do not wait for a standby that is still catching up.
    await untilOne("state = 'streaming'");
    await run("alter system set synchronous_standby_names = 'standby'");
    await run("select pg_reload_conf()");
    await untilOne("sync_state = 'sync'");
  });
}

/** Makes a copy of a primary's files a standby's, with settings that also hold after its promotion. */
async function makeStandby(folder: string, primary: RunningPostgreSQL): Promise<void> {
  const { socketFolder, port } = primary;
  const connection = `host=${socketFolder} port=${port} user=sabika application_name=standby`;
  const files = {
    "standby.signal": "",
    "postgresql.auto.conf":
      `${KEPT}\nprimary_conninfo = '${connection}'\nwal_retrieve_retry_interval = '100ms'\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text);
    await giveToPostgreSQL(join(folder, name));
  }
}
