import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { lockFolder } from "@sabika/database";
import { readIfThere, writePrivateFile } from "@sabika/identity/keys";
import { DATA_VERSION } from "@sabika/service/deployment";
import { StartError } from "../start_error.ts";

/** The data folder of one sandbox (Decision D44), held by this process until `release()`. */
export interface DataFolder {
  readonly path: string;
  readonly masterKeyFile: string;
  /** The file of the root authority's key, which is in no database. */
  readonly rootFile: string;
  /** The embedded database's own folder. */
  readonly database: string;
  /** The URL of the database in use, for the operator's command. */
  readonly databaseUrlFile: string;
  /** The address that the sandbox serves at, for the operator's command. */
  readonly baseUrlFile: string;
  readonly authority: string;
  readonly server: string;
  readonly partners: string;
  /** The mails that its people would get, as text. */
  readonly mails: string;
  release(): Promise<void>;
}

/**
 * Opens a data folder, or makes it, and locks it: two sandboxes on one folder would destroy it.
 *
 * @throws {StartError} when it cannot be written, is in use, holds other files, or is a newer version's
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  try {
    await makeFolder(path);
    const release = await lockFolder(path, (holder) =>
      new StartError(
        `another sandbox (process ${holder}) uses ${folder}: stop it, or choose another folder ` +
          `with --data FOLDER`,
      ));
    try {
      await checkVersion(path, folder);
      await chmod(path, 0o700);
      for (const name of ["authority", "server", "partners", "mails"]) {
        await mkdir(join(path, name), { recursive: true, mode: 0o700 });
      }
    } catch (error) {
      await release();
      throw error;
    }
    return {
      path,
      masterKeyFile: join(path, "master.key"),
      rootFile: join(path, "root.key"),
      database: join(path, "database"),
      databaseUrlFile: join(path, "database.url"),
      baseUrlFile: join(path, "base.url"),
      authority: join(path, "authority"),
      server: join(path, "server"),
      partners: join(path, "partners"),
      mails: join(path, "mails"),
      release,
    };
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined || error instanceof StartError) throw error;
    throw new StartError(
      `the data folder ${folder} cannot be written (${code}): choose another with --data FOLDER`,
    );
  }
}

/**
 * Makes a folder and those above it. `recursive: true` would loop for ever where the system says that a
 * new folder does not exist, as below /proc.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    if (dirname(path) !== path) await makeFolder(dirname(path));
  }
  await mkdir(path, { mode: 0o700 });
}

async function checkVersion(path: string, folder: string): Promise<void> {
  const file = join(path, "version");
  const text = await readIfThere(file);
  if (text === undefined) {
    const others = (await readdir(path)).filter((name) => !/^lock(\.|$)/.test(name));
    if (others.length > 0) {
      throw new StartError(
        `${folder} is not empty and not a sandbox's data: choose another folder with --data FOLDER`,
      );
    }
    return await writePrivateFile(file, `${DATA_VERSION}\n`);
  }
  if (Number(text) > DATA_VERSION) {
    throw new StartError(
      `the data in ${folder} was written by a newer version (${text.trim()}, this one is ` +
        `${DATA_VERSION}): update Sabika, or choose another folder with --data FOLDER`,
    );
  }
}
