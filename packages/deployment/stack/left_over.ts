import { readFileSync, readlinkSync } from "node:fs";
import process from "node:process";
import { listPids } from "../../../tools/programs/marked_processes.ts";

/** How long a left-over process may take to end in order. */
const PATIENCE_MS = 10_000;
/** The programs that a stack starts: other people's, and those that are arguments of Node or Python. */
const PROGRAM = /(^|\/)(envoy|postgres|etcd|prometheus|postgres_exporter)$/;
const ARGUMENT = /(^|\/)(packages\/(server|console)\/main\.[jt]s|patroni|disk_guard\.py)$/;

/**
 * Ends the processes that a killed stack on this data folder left running, since its parts have sessions
 * of their own. Only processes that name the folder in their command, their environment or as their
 * working directory are touched. Without /proc none is found.
 *
 * @returns how many processes were ended
 */
export async function endLeftOver(dataFolder: string): Promise<number> {
  const found = listPids().filter((pid) => isLeftOver(pid, `${dataFolder}/`));
  for (const pid of found) signal(pid, "SIGINT");
  const end = performance.now() + PATIENCE_MS;
  while (found.some((pid) => signal(pid, 0))) {
    // A server that waits for a caller cannot end in order, since the caller is gone.
    if (performance.now() > end) found.forEach((pid) => signal(pid, "SIGKILL"));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return found.length;
}

/** Whether a process other than this one and its parent belongs to a stack in this folder. */
function isLeftOver(pid: number, folder: string): boolean {
  if (pid === process.pid || pid === process.ppid) return false;
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const isOfStacks = PROGRAM.test(command[0]!) || command.some((word) => ARGUMENT.test(word));
    if (!isOfStacks) return false;
    const values = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
      .map((line) => line.slice(line.indexOf("=") + 1));
    return [...command, ...values, readlinkSync(`/proc/${pid}/cwd`)]
      .some((text) => text.startsWith(folder));
  } catch {
    // The process is another user's, or has ended meanwhile.
    return false;
  }
}

/**
 * Sends a signal to a process.
 *
 * @param name 0 sends none
 * @returns whether the process runs, also as another user's
 */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
