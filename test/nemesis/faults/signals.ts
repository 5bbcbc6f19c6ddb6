import process from "node:process";

/** A process that has ended meanwhile needs no signal any more. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
