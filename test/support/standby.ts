import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase, readDatabaseUrl } from "@sabika/core/store";
import {
  type PostgreSQLSettings,
  type RunningPostgreSQL,
  runPostgreSQL,
} from "../../tools/programs/run_postgresql.ts";
import { backUp, giveToPostgreSQL } from "./base_backup.ts";
import { until } from "./until.ts";

/** What a primary that is to have a standby is started with. */
export const PRIMARY_SETTINGS = { wal_keep_size: "512MB", synchronous_commit: "on" };

/** A second PostgreSQL that has all that the first one acknowledges. */
export type Standby = Awaited<ReturnType<typeof runStandby>>;

/**
 * Starts a standby, for which the primary waits with each commit from now on.
 *
 * @param options.durable false: quick, for tests that cut no power; the log is written at once all the same
 */
export async function runStandby(
  primary: RunningPostgreSQL,
  { durable = true, settings = {} }: Partial<PostgreSQLSettings> = {},
) {
  const folder = await backUp(primary);
  await writeFile(join(folder, "standby.signal"), "");
  await giveToPostgreSQL(join(folder, "standby.signal"));
  const postgresql = await runPostgreSQL({
    durable,
    folder,
    settings: {
      ...settings,
      primary_conninfo:
        `host=${primary.socketFolder} port=${primary.port} user=sabika application_name=standby`,
      wal_retrieve_retry_interval: "100ms",
      synchronous_commit: "on",
    },
  });
  await asSuperuser(primary, async (run) => {
    await run("alter system set synchronous_standby_names = 'standby'");
    await run("select pg_reload_conf()");
    await until(async () => {
      const [row] = await run(
        "select count(*)::int as n from pg_stat_replication where sync_state = 'sync'",
      );
      return row!["n"] === 1;
    });
  });
  return {
    postgresql,
    /** The primary's URL with both of their places, whichever is the primary. */
    followed(url: string): string {
      const { servers: [{ host, port }] } = readDatabaseUrl(url);
      const both = `${host}:${port},${host}:${postgresql.port}`;
      return `${url.replace(`${host}:${port}`, both)}?target_session_attrs=read-write`;
    },
    /** From now on it takes writes. */
    promote: () => asSuperuser(postgresql, (run) => run("select pg_promote(true, 60)")),
    async close() {
      await postgresql.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Run = (statement: string) => Promise<Record<string, unknown>[]>;

async function asSuperuser(
  { socketUrl }: RunningPostgreSQL,
  body: (run: Run) => Promise<unknown>,
): Promise<void> {
  const { sql, close } = openDatabase(socketUrl, { maxConnections: 1 });
  try {
    await body((statement) => sql.unsafe(statement));
  } finally {
    await close();
  }
}
