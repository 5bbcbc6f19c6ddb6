import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { atEnd } from "./at_end.ts";
import { findProgram } from "./find_program.ts";
import { endProcess, isRunning } from "./own_process.ts";
import { mustRun, type ProgramEnd, type ProgramOptions, runProgram } from "./run_program.ts";
import { commandLine } from "./command_line.ts";

/** A running Docker engine. */
export interface DockerEngine {
  /** The environment variables by which other programs find it. */
  environment: Record<string, string | undefined>;
  /** Runs a command of Docker's client, and returns its exit code and output. */
  run(args: readonly string[], options?: ProgramOptions): Promise<ProgramEnd>;
  /** Runs a command of Docker's client; returns its output, or throws with its last lines. */
  docker(...args: string[]): Promise<string>;
  /** The engine's log so far. */
  log(): Promise<string>;
  /** Ends the engine and its containers, and removes its folder. */
  stop(): Promise<void>;
}

const PATIENCE_MS = 30_000;

/**
 * Starts Docker's engine on a new folder, which is removed with it, so it never sees images, containers and
 * networks of another engine. It has no bridge and does not change the machine's packet filter: a
 * container is on the machine's network, on another container's, or on none.
 *
 * @throws Error with the reason if no engine can run, such as not as root or without control groups
 */
export async function startDockerEngine(): Promise<DockerEngine> {
  if (process.getuid?.() !== 0) throw new Error("Docker's engine runs as root alone");
  // Docker's other programs are in the same folder, or in the folder for all users.
  const daemon = dirname((await findProgram("dockerd")).command);
  const folder = await mkdtemp(join(tmpdir(), "sabika-docker-"));
  const socket = `unix://${join(folder, "s")}`;
  const environment = {
    ...process.env,
    PATH: [daemon, join(daemon, "..", "bin"), process.env.PATH].join(delimiter),
    DOCKER_HOST: socket,
    DOCKER_CONFIG: join(folder, "client"),
    // The engine's own builder: a newer one would have to be fetched.
    DOCKER_BUILDKIT: "0",
  };
  await writeFile(join(folder, "engine.json"), "{}");
  const logFile = join(folder, "engine.log");
  const log = openSync(logFile, "w");
  const child = spawn(
    "dockerd",
    commandLine`--config-file ${join(folder, "engine.json")} --host ${socket}
      --data-root ${join(folder, "data")} --exec-root ${join(folder, "run")}
      --pidfile ${join(folder, "pid")} --log-level warn --iptables=false --ip6tables=false
      --bridge=none`,
    { env: environment, stdio: ["ignore", log, log] },
  );
  closeSync(log);
  const takeBack = atEnd(() => child.kill("SIGKILL"));
  child.once("error", () => {});
  const run = (args: readonly string[], options: ProgramOptions = {}) =>
    runProgram("docker", args, { ...options, env: { ...environment, ...options.env } });
  const stop = async () => {
    if (isRunning(child)) {
      const { stdout } = await run(["ps", "--all", "--quiet"]);
      const containers = stdout.split("\n").filter((id) => id !== "");
      if (containers.length > 0) await run(["rm", "--force", "--volumes", ...containers]);
    }
    await endProcess(child, "SIGTERM");
    takeBack();
    await unmountBelow(folder);
    await rm(folder, { recursive: true, force: true });
  };
  const deadlineMs = performance.now() + PATIENCE_MS;
  while ((await run(["version"]).catch(() => undefined))?.exitCode !== 0) {
    if (isRunning(child) && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      continue;
    }
    const words = (await readFile(logFile, "utf8")).trim().split("\n").slice(-3).join("\n");
    await stop();
    throw new Error(`Docker's engine does not start: ${words || "it ended without a word"}`);
  }
  return {
    environment,
    run,
    docker: (...args: string[]) => mustRun("docker", args, { env: environment }),
    log: () => readFile(logFile, "utf8"),
    stop,
  };
}

/** Unmounts what the engine leaves mounted: a container's network, a volume in memory. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n")
    .map((line) => line.split(" ")[1] ?? "").filter((path) => path.startsWith(`${folder}/`));
  // The latest mount may cover an earlier one, so it goes first.
  if (mounts.length > 0) await runProgram("umount", ["--lazy", ...mounts.reverse()]);
}
