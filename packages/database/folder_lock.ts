import { join } from "node:path";
import { takeLock } from "./lock/take_lock.mjs";

/**
 * Takes a folder's lock; the lock of a dead process is taken over.
 *
 * @param inUse the error to throw while another process holds it
 * @returns a function that releases it
 */
export async function lockFolder(
  folder: string,
  inUse: (holder: number) => Error,
): Promise<() => Promise<void>> {
  const taken = await takeLock(join(folder, "lock"));
  if (taken.holder !== undefined) throw inUse(taken.holder);
  return taken.release;
}
