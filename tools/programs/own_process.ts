import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { atEnd } from "./at_end.ts";
import { inheritedMark } from "./marked_processes.ts";

/** What the runtime that we run on takes before the path of a TypeScript program. */
export const RUNTIME_ARGUMENTS: readonly string[] = "Deno" in globalThis
  ? ["run", "-A", "--no-check"]
  : ["--import", import.meta.resolve("tsx")];

/** As `RUNTIME_ARGUMENTS`, but none for JavaScript on Node, which runs it as it is. */
export function runtimeArguments(program: string): readonly string[] {
  return program.endsWith(".ts") || "Deno" in globalThis ? RUNTIME_ARGUMENTS : [];
}

/**
 * Starts a program of the repository on the runtime that we run on, with these variables
 * and what a process needs anyway. It ends with this process at the latest.
 *
 * @param program its path from the repository's root
 * @param words of the program's own command line
 */
export function startProgram(
  program: string,
  environment: Readonly<Record<string, string>>,
  words: readonly string[] = [],
): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [...runtimeArguments(program), program, ...words], {
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
