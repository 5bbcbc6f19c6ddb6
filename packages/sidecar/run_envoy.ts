import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { askAdmin } from "./ask_admin.ts";
import { writeHttp, writeListener } from "./discovery.ts";
import { writeInstances } from "./endpoints.ts";
import { adminSocket, sidecarFolders } from "./folders.ts";
import { storedAddresses } from "./registered_addresses.ts";
import { renderEnvoy } from "./render.ts";
import type { SidecarSettings } from "./settings.ts";

/** An Envoy that runs with the settings that it was started with. */
export interface RunningEnvoy {
  readonly pid: number;
  /** The port that Envoy listens on, also when the settings ask for any free one. */
  readonly port: number;
  readonly watchPort: number;
  /** The path of its admin socket. */
  readonly adminSocket: string;
  /** Resolves when Envoy has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Ends Envoy with SIGKILL. */
  kill(): Promise<void>;
  /** Stops accepting connections, waits at most `drainMs` (0) for requests in flight, then ends Envoy. */
  stop(drainMs?: number): Promise<void>;
}

/**
 * Returns the arguments that Envoy is always started with.
 *
 * @param workers how many worker threads Envoy has
 */
export function envoyArguments(configuration: string, workers = 1): string[] {
  // Without --disable-hot-restart Envoy dies with its parent, and a second Envoy cannot start beside it.
  // A log level below warning would print tokens and the edge secret.
  return [
    "-c",
    configuration,
    "--disable-hot-restart",
    "--concurrency",
    String(workers),
    "--log-level",
    "warning",
    "--file-flush-interval-msec",
    "500",
  ];
}

/**
 * Writes all files that Envoy reads except its secrets: its configuration, the list of instances, and the
 * partners' listener with the registered addresses handed over last. Returns the configuration's path.
 */
export async function writeConfiguration(
  settings: SidecarSettings,
  nowMs: number,
): Promise<string> {
  const { configuration } = sidecarFolders(settings.folder);
  await mkdir(settings.folder, { recursive: true, mode: 0o700 });
  await mkdir(settings.socketFolder, { recursive: true, mode: 0o700 });
  await chmod(settings.socketFolder, 0o700);
  await writeInstances(settings.folder, settings.instances, String(nowMs));
  await writeHttp(settings, String(nowMs));
  await writeListener(settings, await storedAddresses(settings.folder), String(nowMs));
  await writeFile(configuration, renderEnvoy(settings));
  return configuration;
}

/**
 * Starts Envoy and resolves when it serves (about 0.3 s). A set of secrets must exist.
 *
 * @param program the path of Envoy's program
 * @param output where Envoy writes: `envoy.log` in the settings' folder, or as this process does
 * @throws Error with the last lines that Envoy wrote in this start when it does not serve within 30 s
 */
export async function runEnvoy(
  program: string,
  settings: SidecarSettings,
  nowMs: number,
  output: "log" | "inherit" = "log",
): Promise<RunningEnvoy> {
  const configuration = await writeConfiguration(settings, nowMs);
  const admin = adminSocket(settings.socketFolder);
  await rm(admin, { force: true });
  const logFile = join(settings.folder, "envoy.log");
  const log = openSync(logFile, "a", 0o600);
  const { size } = fstatSync(log);
  // In a session of its own, so that Ctrl-C reaches only the parent, which ends Envoy in order.
  const child = spawn(program, envoyArguments(configuration), {
    stdio: output === "log" ? ["ignore", log, log] : ["ignore", "inherit", "inherit"],
    detached: true,
  });
  closeSync(log);
  const failure = { message: output === "log" ? "it printed nothing" : "it says why above" };
  child.once("error", ({ message }) => failure.message = message);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (!await serves(child, admin)) {
    child.kill("SIGKILL");
    const written = (await readFile(logFile)).subarray(size).toString();
    const words = written.trim().split("\n").slice(-3).join("\n");
    throw new Error(`Envoy does not start: ${words || failure.message}`);
  }
  const ports = await readPorts(admin);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  return {
    pid: child.pid!,
    port: ports.get("partners") ?? 0,
    watchPort: ports.get("watch") ?? 0,
    adminSocket: admin,
    ended,
    kill: () => end("SIGKILL"),
    async stop(drainMs = 0) {
      if (drainMs > 0) await drain(admin, drainMs);
      await end("SIGTERM");
    },
  };
}

async function serves(child: ChildProcess, admin: string): Promise<boolean> {
  let failed = false;
  child.once("error", () => failed = true);
  for (let turn = 0; turn < 1_500 && !failed; turn++) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    const answer = await askAdmin(admin, "/ready").catch(() => undefined);
    if (answer?.status === 200) return true;
    await pause(20);
  }
  return false;
}

async function readPorts(admin: string): Promise<Map<string, number>> {
  const { text } = await askAdmin(admin, "/listeners");
  return new Map(
    [...text.matchAll(/^(\w+)::.*:(\d+)$/gm)].map(([, name, port]) => [name!, Number(port)]),
  );
}

/** Tells Envoy to drain its connections, and waits at most `drainMs` until no request is in flight. */
async function drain(admin: string, drainMs: number): Promise<void> {
  await askAdmin(admin, "/drain_listeners?graceful&skip_exit", "POST").catch(() => {});
  for (let waited = 0; waited < drainMs; waited += 50) {
    const { text } = await askAdmin(admin, "/stats?filter=http.partners.downstream_rq_active")
      .catch(() => ({ text: ": 0" }));
    if (/: 0\s*$/.test(text) && waited >= 250) return;
    await pause(50);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
