import { readFileSync } from "node:fs";
import process from "node:process";
import { listPids, signal } from "../../tools/programs/marked_processes.ts";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";

/**
 * Sends a signal to every process of a PostgreSQL server (Linux: reads `/proc`). Each session has its own
 * process group, so signalling the postmaster's group would miss them.
 */
export function signalAll(
  { pid }: Pick<RunningPostgreSQL, "pid">,
  name: NodeJS.Signals,
): void {
  // While it is stopped, the postmaster cannot start other processes.
  process.kill(pid, "SIGSTOP");
  for (const child of childrenOf(pid)) signal(child, name);
  if (name !== "SIGSTOP") process.kill(pid, name);
}

/** Kills the postmaster and all sessions at once (SIGKILL): only data that was written to files remains. */
export async function crash(postgresql: RunningPostgreSQL): Promise<void> {
  process.kill(postgresql.pid, "SIGSTOP");
  for (const child of childrenOf(postgresql.pid)) signal(child, "SIGKILL");
  await postgresql.kill();
}

/** Returns the process ids of a PostgreSQL server, the postmaster's first. */
export const processesOf = (
  { pid }: Pick<RunningPostgreSQL, "pid">,
): number[] => [pid, ...childrenOf(pid)];

function childrenOf(parent: number): number[] {
  return listPids().filter((pid) => {
    try {
      // pid (name) state ppid …
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
      return Number(fields[1]) === parent;
    } catch {
      return false;
    }
  });
}
