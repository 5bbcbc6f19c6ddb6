import { readFileSync } from "node:fs";
import process from "node:process";
import { listPids } from "../../tools/programs/marked_processes.ts";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";

/**
 * Sends a signal to every process of a PostgreSQL. Each session of it is a process group of its
 * own, so the postmaster's group alone would leave them running.
 */
export function signalAll(postgresql: RunningPostgreSQL, signal: NodeJS.Signals): void {
  const { pid } = postgresql;
  // A stopped postmaster starts no other processes meanwhile.
  process.kill(pid, "SIGSTOP");
  signalChildren(pid, signal);
  if (signal !== "SIGSTOP") process.kill(pid, signal);
}

/** Ends all processes at once, as a power cut does: what was not on the disk is gone. */
export async function crash(postgresql: RunningPostgreSQL): Promise<void> {
  process.kill(postgresql.pid, "SIGSTOP");
  signalChildren(postgresql.pid, "SIGKILL");
  await postgresql.kill();
}

function signalChildren(parent: number, signal: NodeJS.Signals): void {
  for (const child of childrenOf(parent)) {
    try {
      process.kill(child, signal);
    } catch {
      // Ended by itself.
    }
  }
}

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
