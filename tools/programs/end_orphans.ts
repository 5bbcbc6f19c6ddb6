import { readlinkSync, realpathSync } from "node:fs";
import process from "node:process";
import { listPids } from "./marked_processes.ts";

/**
 * Ends the processes that work in a PostgreSQL's data folder. For one whose postmaster is gone: what
 * carries out a statement does not notice that before its end, and until then no postmaster can start
 * there. A service manager does the same with what is left of a service. Reads `/proc`: ends none where a
 * system has none.
 */
export function endOrphans(dataFolder: string): void {
  const folder = realpathSync(dataFolder);
  for (const pid of listPids()) {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) === folder) process.kill(pid, "SIGKILL");
    } catch {
      // Another user's, or it has ended by itself.
    }
  }
}
