import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningPostgreSQL, runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { asSuperuser } from "../support/as_superuser.ts";
import { giveToPostgreSQL } from "../support/base_backup.ts";
import { until } from "../support/until.ts";

/** An archive of a PostgreSQL's write-ahead log. */
export interface Archive {
  readonly folder: string;
  /** The settings of the server that writes it. */
  readonly settings: Record<string, string>;
  remove(): Promise<void>;
}

/** Makes an empty archive. */
export async function openArchive(): Promise<Archive> {
  const folder = await mkdtemp(join(tmpdir(), "sabika-archive-"));
  await giveToPostgreSQL(folder);
  return {
    folder,
    settings: { archive_mode: "on", archive_command: `cp %p ${folder}/%f` },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Waits until all that was committed so far is in the archive. */
export async function archiveAll(postgresql: RunningPostgreSQL): Promise<void> {
  await asSuperuser(postgresql, async (sql) => {
    const [row] = await sql<{ file: string }[]>`
      select pg_walfile_name(pg_switch_wal()) as file`;
    const isArchived = async () => {
      const [last] = await sql<{ done: boolean }[]>`
        select coalesce(last_archived_wal >= ${row!.file}, false) as done from pg_stat_archiver`;
      return last!.done;
    };
    await until(isArchived, 30_000, "the log is archived");
  });
}

/** Starts a PostgreSQL on a copy of the files, and recovers it from the archive up to a time. */
export async function restore(
  folder: string,
  archive: Archive,
  time: string,
): Promise<RunningPostgreSQL> {
  await writeFile(join(folder, "recovery.signal"), "");
  await giveToPostgreSQL(join(folder, "recovery.signal"));
  return await runPostgreSQL({
    durable: true,
    folder,
    settings: {
      restore_command: `cp ${archive.folder}/%f %p`,
      recovery_target_time: time,
      recovery_target_action: "promote",
      // No connections are accepted before recovery has ended.
      hot_standby: "off",
    },
  });
}
