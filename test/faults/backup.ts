import { chown, copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sabika/core/store";
import { type RunningPostgreSQL, runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { unprivilegedUser } from "../../tools/programs/unprivileged_user.ts";
import { until } from "../support/until.ts";

/** Where a PostgreSQL keeps its log for ever, and the settings that make it. */
export type Archive = Awaited<ReturnType<typeof openArchive>>;

/** Makes a folder for the log, which the server fills. */
export async function openArchive() {
  const folder = await mkdtemp(join(tmpdir(), "sabika-archive-"));
  await own(folder);
  return {
    folder,
    /** For the server that writes it. */
    settings: { archive_mode: "on", archive_command: `cp %p ${folder}/%f` },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Copies the files of a running PostgreSQL, as `pg_basebackup` does it: between two words to the server,
 * while it goes on.
 *
 * @returns the folder of the copy
 */
export async function backUp(postgresql: RunningPostgreSQL): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sabika-backup-"));
  const { sql, close } = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
  try {
    await sql`select pg_backup_start('base', true)`;
    await copyFiles(postgresql.dataFolder, folder);
    const [end] = await sql<{ label: string }[]>`select labelfile as label from pg_backup_stop()`;
    await writeFile(join(folder, "backup_label"), end!.label);
    await own(join(folder, "backup_label"));
  } finally {
    await close();
  }
  return folder;
}

/** Waits until all that was committed so far is in the archive. */
export async function archiveAll(postgresql: RunningPostgreSQL): Promise<void> {
  const { sql, close } = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
  try {
    const [row] = await sql<{ file: string }[]>`
      select pg_walfile_name(pg_switch_wal()) as file`;
    await until(
      async () => {
        const [last] = await sql<{ done: boolean }[]>`
        select coalesce(last_archived_wal >= ${row!.file}, false) as done from pg_stat_archiver`;
        return last!.done;
      },
      30_000,
      "the log is archived",
    );
  } finally {
    await close();
  }
}

/** Starts a PostgreSQL on a copy, which takes from the archive what happened up to a time. */
export async function restore(
  folder: string,
  archive: Archive,
  time: string,
): Promise<RunningPostgreSQL> {
  await writeFile(join(folder, "recovery.signal"), "");
  await own(join(folder, "recovery.signal"));
  return await runPostgreSQL({
    durable: true,
    folder,
    settings: {
      restore_command: `cp ${archive.folder}/%f %p`,
      recovery_target_time: time,
      recovery_target_action: "promote",
      // Nobody is let in before the copy is whole: on a busy machine they came while it was read in.
      hot_standby: "off",
    },
  });
}

/** Files that belong to the running server alone, or come from the archive. */
const LEFT = /\/(pg_wal\/.*|postmaster\.(pid|opts)|postgresql\.log)$/;

async function copyFiles(from: string, to: string): Promise<void> {
  await own(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      await copyFiles(source, target);
    } else if (!LEFT.test(source)) {
      try {
        await copyFile(source, target);
        await own(target);
      } catch (error) {
        // A temporary file that has gone meanwhile.
        if (await stat(source).then(() => true, () => false)) throw error;
      }
    }
  }
}

/** Gives a file or folder to the user that PostgreSQL runs as. */
async function own(path: string): Promise<void> {
  const user = unprivilegedUser();
  if (user !== undefined) await chown(path, user.uid, user.gid);
}
