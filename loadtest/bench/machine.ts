import { execFileSync } from "node:child_process";
import os from "node:os";
import process from "node:process";

/** Returns the measured commit, with a `+` if the work tree differs from it. */
export function describeCommit(): string {
  try {
    const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
    const changed = git("status", "--porcelain", "--untracked-files=no") !== "";
    return git("rev-parse", "--short", "HEAD") + (changed ? "+" : "");
  } catch {
    return "unknown";
  }
}

/** Returns the runtime of the bench and the services, with its version. */
export function describeRuntime(): string {
  const { deno, node } = process.versions;
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`;
}

/** Describes the machine in one line: processor, cores, memory, runtime and PostgreSQL. */
export function describeMachine(postgresql: string): string {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return [
    `${cpus[0]?.model.trim() ?? os.arch()} × ${cpus.length}`,
    `${memory} GB`,
    describeRuntime(),
    postgresql,
  ].join(", ");
}
