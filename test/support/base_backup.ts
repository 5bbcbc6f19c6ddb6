import { chown, copyFile, mkdir, mkdtemp, readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { unprivilegedUser } from "../../tools/programs/unprivileged_user.ts";
import { asSuperuser } from "./as_superuser.ts";

/**
 * Copies the files of a running PostgreSQL as `pg_basebackup` does, between `pg_backup_start` and
 * `pg_backup_stop`.
 *
 * @param into an empty folder for the copy; by default a new one in a temporary folder of its own
 * @returns the folder of the copy
 */
export async function backUp(postgresql: RunningPostgreSQL, into?: string): Promise<string> {
  const folder = into ?? await folderFor(postgresql);
  await asSuperuser(postgresql, async (sql) => {
    await sql`select pg_backup_start('base', true)`;
    await copyFiles(postgresql.dataFolder, folder);
    const [end] = await sql<{ label: string }[]>`select labelfile as label from pg_backup_stop()`;
    await writeFile(join(folder, "backup_label"), end!.label);
    await giveToPostgreSQL(join(folder, "backup_label"));
  });
  return folder;
}

/** Makes a folder for a copy, with the file of the password beside it that a new start needs. */
async function folderFor({ url }: RunningPostgreSQL): Promise<string> {
  const above = await mkdtemp(join(tmpdir(), "sabika-backup-"));
  await giveToPostgreSQL(above);
  const folder = join(above, "data");
  await mkdir(folder, { mode: 0o700 });
  await writeFile(`${folder}.password`, new URL(url).password, { mode: 0o600 });
  return folder;
}

/**
 * Files that are not copied: they belong to the running server, or come from the archive. The copy would
 * not start with the folder of a replication slot whose file is missing.
 */
const LEFT = /\/(pg_wal\/.*|pg_replslot\/.*|postmaster\.(pid|opts)|postgresql\.log)$/;

async function copyFiles(from: string, to: string): Promise<void> {
  await giveToPostgreSQL(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (LEFT.test(source)) continue;
    if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      await copyFiles(source, target);
    } else {
      try {
        await copyFile(source, target);
        await giveToPostgreSQL(target);
      } catch (error) {
        // Temporary files may disappear before they are copied.
        if (await stat(source).then(() => true, () => false)) throw error;
      }
    }
  }
}

/** Makes the user that PostgreSQL runs as the owner of a file or folder. */
export async function giveToPostgreSQL(path: string): Promise<void> {
  const user = unprivilegedUser();
  if (user !== undefined) await chown(path, user.uid, user.gid);
}
