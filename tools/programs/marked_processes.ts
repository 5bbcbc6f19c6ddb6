import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/**
 * The environment variable that names the run that a process belongs to. Child processes inherit it, so
 * every process of a run can be found, even in another session or after its parent has ended.
 */
export const RUN_MARK = "SABIKA_RUN";

/** A process as the kernel lists it. */
export interface ListedProcess {
  pid: number;
  /** The command line, its words separated by blanks. */
  command: string;
}

/** Returns the variable with this process's mark, for programs that do not inherit the environment. */
export function inheritedMark(): Record<string, string> {
  const mark = process.env[RUN_MARK];
  return mark === undefined ? {} : { [RUN_MARK]: mark };
}

/** Makes a mark within that of this process's run, if any: ending the run ends this part too. */
export function markWithin(name: string): string {
  const outer = process.env[RUN_MARK];
  return outer === undefined ? name : `${outer}/${name}`;
}

/**
 * Returns the processes with this mark or one within it, and their descendants, without zombies. Reads
 * `/proc`; returns none on systems without it.
 */
export function markedProcesses(mark: string): ListedProcess[] {
  const all = listProcesses();
  const found = new Set(all.filter(({ pid }) => isMarked(pid, mark)).map(({ pid }) => pid));
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid, isZombie }) => found.has(pid) && pid !== process.pid && !isZombie)
    .map(({ pid }) => ({ pid, command: commandOf(pid) }));
}

/**
 * Ends all processes of a mark: with SIGTERM, and with SIGKILL those that are left after `patienceMs`.
 * Resolves when none is left.
 *
 * @returns the processes that it found
 */
export async function endMarkedProcesses(
  mark: string,
  patienceMs: number,
): Promise<ListedProcess[]> {
  const found = markedProcesses(mark);
  const deadlineMs = performance.now() + patienceMs;
  const asked = new Set<number>();
  for (let left = found; left.length > 0; left = markedProcesses(mark)) {
    const isOverdue = performance.now() > deadlineMs;
    for (const { pid } of left) {
      if (isOverdue) signal(pid, "SIGKILL");
      else if (!asked.has(pid)) signal(pid, "SIGTERM");
      asked.add(pid);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return found;
}

/** Returns the ids of all processes; empty on systems without `/proc`. */
export function listPids(): number[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return [];
  }
}

function listProcesses(): { pid: number; parent: number; isZombie: boolean }[] {
  return listPids().flatMap((pid) => {
    // The state and the parent follow the command, which is in brackets and may contain anything.
    const [state, parent] = read(`/proc/${pid}/stat`).replace(/^.*\) /s, "").split(" ");
    return parent === undefined
      ? []
      : [{ pid, parent: Number(parent), isZombie: state === "Z" || state === "X" }];
  });
}

function isMarked(pid: number, mark: string): boolean {
  const entry = read(`/proc/${pid}/environ`).split("\0")
    .find((line) => line.startsWith(`${RUN_MARK}=`));
  const found = entry?.slice(RUN_MARK.length + 1);
  return found === mark || found?.startsWith(`${mark}/`) === true;
}

/** Returns a process's command line, its words separated by blanks; empty if it has ended. */
export function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).split("\0").join(" ").trim();
}

/** Reads a file in /proc; empty if the process has ended or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Sends a signal to a process, which may have ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}
