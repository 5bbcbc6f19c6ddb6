import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { inheritedMark } from "../../../tools/programs/marked_processes.ts";

/** A service in a process of its own. */
export interface ServiceProcess {
  pid: number;
  /** Resident memory now, in bytes. */
  residentBytes(): number;
  stop(): Promise<void>;
}

/**
 * Starts a TypeScript program on the runtime that we run on ourselves and waits until `isReady` says so.
 *
 * @param program path below the repository, such as `packages/server/main.ts`
 * @throws Error with its last words when it ends before it is ready
 */
export async function startService(
  program: string,
  environment: Record<string, string>,
  isReady: () => Promise<boolean>,
  nodeOptions: readonly string[] = [],
): Promise<ServiceProcess> {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const before = "Deno" in globalThis ? ["run", "-A", "--no-check"] : ["--import", "tsx"];
  const child = spawn(process.execPath, [...before, ...nodeOptions, program], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      ...inheritedMark(),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  let words = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (words = (words + text).slice(-4000)));
  }
  while (!await isReady().catch(() => false)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${program} ended with ${child.exitCode}: ${words.trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const pid = child.pid!;
  return {
    pid,
    residentBytes: () => readResidentBytes(readFileSync(`/proc/${pid}/status`, "utf8")),
    async stop() {
      process.off("exit", kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const forced = setTimeout(kill, 10_000);
      await ended;
      clearTimeout(forced);
    },
  };
}

/** VmRSS of `/proc/<pid>/status`, in bytes. */
export function readResidentBytes(status: string): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  if (found === null) throw new Error("no VmRSS in the process's status");
  return Number(found[1]) * 1024;
}
