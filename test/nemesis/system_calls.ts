import { spawn } from "node:child_process";
import process from "node:process";
import { atEnd } from "../../tools/programs/at_end.ts";
import { findProgram } from "../../tools/programs/find_program.ts";
import { inheritedMark } from "../../tools/programs/marked_processes.ts";
import { endProcess } from "../../tools/programs/own_process.ts";
import { runProgram } from "../../tools/programs/run_program.ts";

/** Makes system calls of running processes wait or fail, with strace. */
export interface SystemCalls {
  /**
   * Begins with these processes, and with those that they start from then on.
   *
   * @param harm what strace's option `inject` takes
   * @returns a function that ends it
   */
  disturb(pids: readonly number[], harm: string): () => Promise<void>;
}

/** Returns undefined without strace, or where a process may not trace another. */
export async function openSystemCalls(): Promise<SystemCalls | undefined> {
  const found = await findProgram("strace").catch(() => undefined);
  if (found === undefined) return undefined;
  const { command } = found;
  const env = { ...process.env, ...found.env };
  const quiet = ["-f", "-qq", "-o", "/dev/null"];
  if ((await runProgram(command, [...quiet, "true"], { env })).exitCode !== 0) return undefined;
  return {
    disturb(pids, harm) {
      const [calls] = harm.split(":") as [string];
      const options = ["-e", `trace=${calls}`, "-e", `inject=${harm}`];
      const args = [...quiet, ...options, ...pids.flatMap((pid) => ["-p", String(pid)])];
      const child = spawn(command, args, { env: { ...env, ...inheritedMark() }, stdio: "ignore" });
      child.once("exit", atEnd(() => child.kill("SIGTERM")));
      // A tracer that ends lets its processes go on undisturbed.
      return () => endProcess(child, "SIGTERM");
    },
  };
}
