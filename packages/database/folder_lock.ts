import { join } from "node:path";
import { takeLock } from "./lock/take_lock.mjs";

/**
 * Takes a folder's lock; that of a process that is gone is taken over.
 *
 * @param inUse what is thrown while a process holds it
 * @returns lets go of it
 */
export async function lockFolder(
  folder: string,
  inUse: (holder: number) => Error,
): Promise<() => Promise<void>> {
  const taken = await takeLock(join(folder, "lock"));
  if (taken.holder !== undefined) throw inUse(taken.holder);
  return taken.release;
}
