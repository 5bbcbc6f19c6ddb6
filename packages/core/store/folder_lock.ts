import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";

/** The locks of this process: after a restart in a container another one had the same number. */
const held = new Set<string>();

/**
 * Takes a folder's lock, a file that names its holder; that of a process that is gone is taken over.
 *
 * @param inUse what is thrown while a process holds it
 * @returns lets go of it
 */
export async function lockFolder(
  folder: string,
  inUse: (holder: number) => Error,
): Promise<() => Promise<void>> {
  const lock = join(folder, "lock");
  for (let attempt = 1;; attempt++) {
    try {
      await writeFile(lock, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
      held.add(lock);
      return async () => {
        held.delete(lock);
        await rm(lock, { force: true });
      };
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST" || attempt === 3) throw error;
    }
    const holder = Number(await readFile(lock, "utf8").catch(() => ""));
    if (holder === process.pid ? held.has(lock) : isRunning(holder)) throw inUse(holder);
    await rm(lock, { force: true });
  }
}

/** Whether a process of this number runs, whoever's it is. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
