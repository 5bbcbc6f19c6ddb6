import { spawn } from "node:child_process";
import { once } from "node:events";

/** The exit code and output of a program. */
export interface ProgramEnd {
  /** The exit code; null if a signal ended the program. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Options of a run, like those of `spawn`. */
export interface ProgramOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  uid?: number;
  gid?: number;
  /** The milliseconds after which SIGTERM ends the program; no limit by default. */
  timeout?: number;
}

/** Runs a program without input to its end. Throws only if it cannot be started. */
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

/** Returns the last lines of a program's output, which usually say why it failed. */
function lastWords({ stdout, stderr }: Pick<ProgramEnd, "stdout" | "stderr">): string {
  return `${stderr}${stdout}`.trim().split("\n").slice(-5).join("\n");
}

/** Runs a program; returns its output, or throws an Error with its last lines unless it exits with 0. */
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
