import { readdir, readFile, writeFile } from "node:fs/promises";
import { constants, getPriority, setPriority } from "node:os";
import process from "node:process";

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lowers the priority of this process below all others that need the same processor. On Linux a priority
 * belongs to a thread and counts within a session: if this process leads a session, that is lowered too.
 * A lower priority stays as it is, since raising it would be refused.
 */
export async function lowerPriority(): Promise<void> {
  lower(process.pid);
  const threads = await readdir("/proc/self/task").catch(() => []);
  for (const thread of threads) lower(Number(thread));
  const status = await readFile("/proc/self/stat", "utf8").catch(() => "");
  // After the name in parentheses: state, parent, group, session (proc(5)).
  const session = status.slice(status.lastIndexOf(")") + 2).split(" ")[3];
  if (session !== String(process.pid)) return;
  // A kernel without session groups has no such file, and needs none.
  await writeFile("/proc/self/autogroup", String(PRIORITY_BELOW_NORMAL)).catch(() => {});
}

function lower(thread: number): void {
  if (getPriority(thread) < PRIORITY_BELOW_NORMAL) setPriority(thread, PRIORITY_BELOW_NORMAL);
}
