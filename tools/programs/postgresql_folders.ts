import { chownSync, mkdtempSync, statfsSync } from "node:fs";
import { chmod, cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canReach, type UnixUser } from "./unprivileged_user.ts";

/** A folder in memory, where creating and dropping a database takes a sixth of the processor time. */
const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 2 * 1024 ** 3;

/** Makes a folder in memory; undefined if the system has no such file system, or too small a one. */
export function folderInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize < ENOUGH_BYTES ? undefined : mkdtempSync(join(MEMORY, "sabika-pg-"));
  } catch {
    return undefined;
  }
}

/** Makes a folder that only its owner can read: `user`, or this process's user when undefined. */
export async function ownedFolder(folder: string, user: UnixUser | undefined): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** Returns the folder of PostgreSQL's programs, or a copy in the run's folder if `user` cannot reach it. */
export async function reachable(
  found: string,
  user: UnixUser | undefined,
  runFolder: string,
): Promise<string> {
  if (canReach(user, found)) return found;
  const copy = join(runFolder, "native");
  await cp(dirname(found), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}
