import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { setBatchPolicy } from "../../../tools/programs/batch_policy.ts";
import { endProcess, isRunning, runtimeArguments } from "../../../tools/programs/own_process.ts";
import { inheritedMark } from "../../../tools/programs/marked_processes.ts";
import type { UnixUser } from "../../../tools/programs/unprivileged_user.ts";
import { StartError } from "../start_error.ts";
import { builtProgram } from "../services.ts";

/** A program to run as a process, and how to tell that it is ready. */
export interface ProcessPlan {
  /** A program of ours, from the repository's root; with `args` any executable file. */
  program: string;
  /** The arguments of another program; left out for our own. */
  args?: readonly string[];
  /** The folder in which another program runs. */
  folder?: string;
  environment: Record<string, string>;
  /** The user as which root runs it; left out, root. */
  as?: UnixUser | undefined;
  isReady(): Promise<boolean>;
}

/** A program as a process of its own. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Lets the process drain and end by itself. */
  stop(): Promise<void>;
  /** Ends the process with SIGKILL, like a crash. */
  kill(): Promise<void>;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const START_PATIENCE_MS = 60_000;

/**
 * Starts a program and resolves when it is ready.
 *
 * @param logFile the file for the program's output
 * @param built the folder of a build to run; the repository's source when left out
 * @throws {StartError} with a line that it wrote in this start when it does not become ready within a minute
 */
export async function startServer(
  name: string,
  { program, args, folder, environment, as, isReady }: ProcessPlan,
  logFile: string,
  built?: string,
): Promise<ServerProcess> {
  const log = openSync(logFile, "a", 0o600);
  const { size } = fstatSync(log);
  const file = built === undefined ? program : builtProgram(program);
  const [command, words] = args === undefined
    ? [process.execPath, [...runtimeArguments(file), file]]
    : [program, args];
  // In a session of its own, so that Ctrl-C reaches only the stack, which ends its parts in order.
  const child = spawn(command, words, {
    cwd: folder ?? built ?? ROOT,
    env: { PATH: process.env.PATH ?? "", TZ: "UTC", ...inheritedMark(), ...environment },
    stdio: ["ignore", log, log],
    detached: true,
    ...as,
  });
  closeSync(log);
  const ended = once(child, "exit").then(() => {});
  if (!await becomesReady(child, isReady)) {
    child.kill("SIGKILL");
    const written = (await readFile(logFile)).subarray(size).toString();
    const lines = written.trim().split("\n").slice(-20);
    const words = lines.find((line) => /^sabika:|Error:/.test(line)) ?? lines.at(-1);
    throw new StartError(`${name} does not start: ${words || "no output"} (see ${logFile})`);
  }
  if (args === undefined) await setBatchPolicy(child.pid!);
  const end = async (signal: NodeJS.Signals) => {
    await endProcess(child, signal);
    await ended;
  };
  return {
    name,
    pid: child.pid!,
    ended,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

async function becomesReady(
  child: ChildProcess,
  isReady: ProcessPlan["isReady"],
): Promise<boolean> {
  const end = performance.now() + START_PATIENCE_MS;
  let failed = false;
  child.once("error", () => failed = true);
  while (performance.now() < end && !failed) {
    if (!isRunning(child)) return false;
    if (await isReady()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
