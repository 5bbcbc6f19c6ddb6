import { spawn } from "node:child_process";
import { once } from "node:events";

/** How a program ended, and what it wrote. */
export interface ProgramEnd {
  /** null when a signal ended it. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Options of a run, as `spawn` has them. */
export interface ProgramOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  uid?: number;
  gid?: number;
  /** The milliseconds after which SIGTERM ends it; never when left out. */
  timeout?: number;
}

/** Runs a program without input to its end. Throws only when it cannot be started. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramEnd> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [exitCode] = await once(child, "close") as [number | null];
  return { exitCode, stdout, stderr };
}

/** The last lines that a program wrote: why it failed. */
function lastWords({ stdout, stderr }: Pick<ProgramEnd, "stdout" | "stderr">): string {
  return `${stderr}${stdout}`.trim().split("\n").slice(-5).join("\n");
}

/** Runs a program to its end; throws an Error with its last words unless it ended well. Returns its output. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<string> {
  const end = await runProgram(command, args, options);
  if (end.exitCode !== 0) {
    throw new Error(`${command} ended with ${end.exitCode}: ${lastWords(end)}`);
  }
  return end.stdout;
}
