import { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { endProcess, isRunning, startProgram } from "../../tools/programs/own_process.ts";
import { testRecord } from "../secret_search/record.ts";

/** Runs `packages/server/main.ts` with its own mutual TLS on a port of the loopback. */
export async function startServerProcess(
  port: number,
  environment: Record<string, string>,
): Promise<ServerProcess> {
  const server = new ServerProcess(port, environment);
  await server.start();
  return server;
}

/** One instance of the service in a process of its own, which can be killed. */
export class ServerProcess {
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
    return this.#child !== undefined && isRunning(this.#child);
  }

  /** What it wrote, the last part. */
  words(): string {
    return this.#words;
  }

  /** Starts it, again on the same port, and waits until it serves. */
  async start(): Promise<void> {
    const child = startProgram("packages/server/main.ts", this.#environment);
    this.#child = child;
    this.#words = "";
    child.once("close", () => testRecord.log("server", this.#words));
    const serving = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          this.#words = (this.#words + text).slice(-100_000);
          if (this.#words.includes('"serving"')) resolve();
        });
      }
    });
    await Promise.race([serving, once(child, "exit")]);
    if (!this.isRunning) throw new Error(`the server does not start: ${this.#words.trim()}`);
  }

  kill(): Promise<void> {
    return endProcess(this.#child!, "SIGKILL");
  }

  /** SIGTERM, and waits for its end. */
  stop(): Promise<void> {
    return endProcess(this.#child!, "SIGTERM");
  }
}
