import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { atEnd } from "./at_end.ts";
import { inheritedMark } from "./marked_processes.ts";

/** The arguments before the path of a TypeScript program on the current runtime. */
export const RUNTIME_ARGUMENTS: readonly string[] = "Deno" in globalThis
  ? ["run", "-A", "--no-check"]
  : ["--import", import.meta.resolve("tsx")];

/** Returns `RUNTIME_ARGUMENTS`, or no arguments for JavaScript on Node. */
export function runtimeArguments(program: string): readonly string[] {
  return program.endsWith(".ts") || "Deno" in globalThis ? RUNTIME_ARGUMENTS : [];
}

/**
 * Starts a program of the repository on the current runtime, with only the variables of production. It ends
 * with this process at the latest.
 *
 * @param program its path from the repository's root
 * @param environment variables besides those that every process needs
 * @param args its arguments
 */
export function startProgram(
  program: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [...runtimeArguments(program), program, ...args], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      ...inheritedMark(),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.once("exit", atEnd(() => child.kill("SIGKILL")));
  return child;
}

/** Returns whether the process still runs: neither an exit nor a signal has ended it. */
export function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Sends a signal to a process that still runs, and resolves when it has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
