import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { endProcess, isRunning, runtimeArguments } from "../../../tools/programs/own_process.ts";
import { inheritedMark } from "../../../tools/programs/marked_processes.ts";
import { StartError } from "../start_error.ts";
import { builtProgram, SERVER_PROGRAM } from "../services.ts";
import { askAdmin } from "@sabika/sidecar";

/** An instance of the service as a process of its own. */
export type ServerProcess = Awaited<ReturnType<typeof startServer>>;

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const START_PATIENCE_MS = 60_000;

/**
 * Starts an instance and resolves when it says that it is ready.
 *
 * @param logFile where its lines go
 * @param built the folder of a build to run; the repository's source when left out
 * @throws {StartError} with its last words when it does not come up
 */
export async function startServer(
  name: string,
  environment: Record<string, string>,
  logFile: string,
  built?: string,
) {
  const log = openSync(logFile, "a", 0o600);
  // A session of its own: Ctrl-C reaches the stack, which ends its parts in order.
  const file = built === undefined ? SERVER_PROGRAM : builtProgram(SERVER_PROGRAM);
  const child = spawn(process.execPath, [...runtimeArguments(file), file], {
    cwd: built ?? ROOT,
    env: { PATH: process.env.PATH ?? "", TZ: "UTC", ...inheritedMark(), ...environment },
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  const ended = once(child, "exit").then(() => {});
  const address = environment.SABIKA_LISTEN ?? environment.SABIKA_WATCH_LISTEN!;
  const socketPath = address.slice("unix:".length);
  if (!await becomesReady(child, socketPath)) {
    child.kill("SIGKILL");
    const lines = (await readFile(logFile, "utf8")).trim().split("\n").slice(-20);
    const words = lines.find((line) => /^sabika:|Error:/.test(line)) ?? lines.at(-1);
    throw new StartError(`${name} does not start: ${words || "no word of it"} (see ${logFile})`);
  }
  const end = async (signal: NodeJS.Signals) => {
    await endProcess(child, signal);
    await ended;
  };
  return {
    name,
    pid: child.pid!,
    /** Resolves when it has ended, however. */
    ended,
    /** Lets it drain, then it ends by itself. */
    stop: () => end("SIGTERM"),
    /** Ends it like a crash. */
    kill: () => end("SIGKILL"),
  };
}

async function becomesReady(child: ChildProcess, socketPath: string): Promise<boolean> {
  const end = performance.now() + START_PATIENCE_MS;
  let failed = false;
  child.once("error", () => failed = true);
  while (performance.now() < end && !failed) {
    if (!isRunning(child)) return false;
    const answer = await askAdmin(socketPath, "/ready").catch(() => undefined);
    if (answer?.status === 200) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
