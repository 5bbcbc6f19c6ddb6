import { runProgram } from "./run_program.ts";

/**
 * Gives a running process and all its threads the scheduling policy that the units give it (Decision D124). It needs
 * `chrt` of util-linux; where there is none, and on other systems than Linux, nothing changes.
 */
export async function setBatchPolicy(pid: number): Promise<void> {
  await runProgram("chrt", ["--all-tasks", "--batch", "--pid", "0", String(pid)]).catch(() => {});
}
