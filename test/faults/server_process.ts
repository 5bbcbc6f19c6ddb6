import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { atEnd } from "../../tools/programs/at_end.ts";
import { inheritedMark } from "../../tools/programs/marked_processes.ts";
import { testRecord } from "../secret_search/record.ts";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const PROGRAM = "packages/server/main.ts";

/** One instance of the service in a process of its own, which can be killed. */
export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  readonly isRunning: boolean;
  /** What it wrote, the last part. */
  words(): string;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM, and waits for its end. */
  stop(): Promise<void>;
  /** Starts it again, on the same port, and waits until it serves. */
  start(): Promise<void>;
}

/** Runs `packages/server/main.ts` with its own mutual TLS on a port of the loopback. */
export async function startServerProcess(
  port: number,
  environment: Record<string, string>,
): Promise<ServerProcess> {
  const server = new Server(port, environment);
  await server.start();
  return server;
}

class Server implements ServerProcess {
  readonly port: number;
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;
  #words = "";

  constructor(port: number, environment: Record<string, string>) {
    this.port = port;
    this.#environment = { ...environment, SABIKA_LISTEN: `127.0.0.1:${port}` };
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  words(): string {
    return this.#words;
  }

  async start(): Promise<void> {
    const args = "Deno" in globalThis
      ? ["run", "--allow-all", "--no-check", PROGRAM]
      : ["--import", "tsx", PROGRAM];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        NODE_ENV: "production",
        ...inheritedMark(),
        ...this.#environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#words = "";
    const forget = atEnd(() => child.kill("SIGKILL"));
    child.once("exit", forget);
    child.once("close", () => testRecord.log("server", this.#words));
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const serving = new Promise<void>((resolve) => {
      for (const stream of [child.stdout!, child.stderr!]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          this.#words = (this.#words + text).slice(-100_000);
          if (this.#words.includes('"serving"')) resolve();
        });
      }
    });
    await Promise.race([serving, ended]);
    if (!this.isRunning) throw new Error(`the server does not start: ${this.#words.trim()}`);
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}
