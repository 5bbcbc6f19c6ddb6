/**
 * One piece of work at a time among the processes of one person on one machine.
 *
 * The lock is a file that names its holder; a holder that died without letting go is noticed by its
 * process id. `node:` only: it also runs before any package is installed.
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Where the lock for `subject` (usually the path of what is worked on) is kept. */
function lockFile(subject) {
  const user = process.getuid?.() ?? 0;
  const name = createHash("sha256").update(subject).digest("hex").slice(0, 16);
  return join(tmpdir(), `sabika-${user}-${name}.lock`);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function tryTake(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  let holder;
  try {
    holder = readFileSync(file, "utf8");
  } catch {
    return false; // let go in this moment
  }
  if (/^\d+$/.test(holder) && !isAlive(Number(holder))) {
    // Moved away before it is removed: of two waiters only one gets the move.
    const dead = `${file}.${process.pid}`;
    try {
      renameSync(file, dead);
      rmSync(dead, { force: true });
    } catch {
      // another waiter was quicker
    }
  }
  return false;
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
  let reported = false;
  while (!tryTake(file)) {
    if (!reported) onWait?.();
    reported = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}
