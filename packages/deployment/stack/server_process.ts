import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { inheritedMark } from "../../../tools/programs/marked_processes.ts";
import { StartError } from "../start_error.ts";
import { nodeArguments, SERVER_PROGRAM } from "../services.ts";

/** An instance of the service as a process of its own. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it has ended, however. */
  readonly ended: Promise<void>;
  /** Lets it drain, then it ends by itself. */
  stop(): Promise<void>;
  /** Ends it like a crash. */
  kill(): Promise<void>;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const START_PATIENCE_MS = 60_000;

/**
 * Starts an instance and resolves when it says that it is ready.
 *
 * @param logFile where its lines go
 * @throws {StartError} with its last words when it does not come up
 */
export async function startServer(
  name: string,
  environment: Record<string, string>,
  logFile: string,
): Promise<ServerProcess> {
  const log = openSync(logFile, "a", 0o600);
  const [program, args] = runtimeCommand();
  // A session of its own: Ctrl-C reaches the stack, which ends its parts in order.
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? "", TZ: "UTC", ...inheritedMark(), ...environment },
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  const ended = once(child, "exit").then(() => {});
  const socketPath = environment.SABIKA_LISTEN!.slice("unix:".length);
  if (!await becomesReady(child, socketPath)) {
    child.kill("SIGKILL");
    const lines = (await readFile(logFile, "utf8")).trim().split("\n").slice(-20);
    const words = lines.find((line) => /^sabika:|Error:/.test(line)) ?? lines.at(-1);
    throw new StartError(`${name} does not start: ${words || "no word of it"} (see ${logFile})`);
  }
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  return { name, pid: child.pid!, ended, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

/** How this runtime runs the instances' program. */
function runtimeCommand(): [string, string[]] {
  return "Deno" in globalThis
    ? [process.execPath, ["run", "-A", "--no-check", SERVER_PROGRAM]]
    : [process.execPath, nodeArguments(SERVER_PROGRAM)];
}

async function becomesReady(child: ChildProcess, socketPath: string): Promise<boolean> {
  const end = performance.now() + START_PATIENCE_MS;
  let failed = false;
  child.once("error", () => failed = true);
  while (performance.now() < end && !failed) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    if (await isReady(socketPath)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** Whether an instance on this socket says that it takes requests. */
function isReady(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: "/ready", agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on("error", () => resolve(false));
    asked.end();
  });
}
