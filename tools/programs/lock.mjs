/**
 * A lock among the processes of one user on one machine. It imports only `node:` modules, because it also
 * runs before any package is installed.
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { takeLock } from "../../packages/database/lock/take_lock.mjs";

/** Returns the path of the lock file for `subject`, which is usually a path too. */
function lockFile(subject) {
  const user = process.getuid?.() ?? 0;
  const name = createHash("sha256").update(subject).digest("hex").slice(0, 16);
  return join(tmpdir(), `sabika-${user}-${name}.lock`);
}

/**
 * Runs `work` while no other process runs its own under the same `subject`.
 *
 * @param {string} subject what is locked, e.g. a folder's path
 * @param {() => Promise<T> | T} work
 * @param {() => void} [onWait] called once when another process holds the lock
 * @template T
 * @returns {Promise<T>}
 */
export async function withLock(subject, work, onWait) {
  const file = lockFile(subject);
  let lock = await takeLock(file);
  if (lock.holder !== undefined) onWait?.();
  while (lock.holder !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    lock = await takeLock(file);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
