import { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { endProcess, isRunning, startProgram } from "../../tools/programs/own_process.ts";
import { testRecord } from "../secret_search/record.ts";

/** An instance of the service as a separate process, which can be killed. */
export class ServerProcess {
  readonly port: number;
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;
  #output = "";

  /** @param port the port of the loopback on which it listens with its own mutual TLS */
  constructor(port: number, environment: Record<string, string>) {
    this.port = port;
    this.#environment = { ...environment, SABIKA_LISTEN: `127.0.0.1:${port}` };
  }

  get isRunning(): boolean {
    return this.#child !== undefined && isRunning(this.#child);
  }

  /** Returns the last 100,000 characters of its output. */
  output(): string {
    return this.#output;
  }

  /** Starts it, each time on the same port, and waits until it serves. */
  async start(): Promise<void> {
    const child = startProgram("packages/server/main.ts", this.#environment);
    this.#child = child;
    this.#output = "";
    child.once("close", () => testRecord.log("server", this.#output));
    const serving = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          this.#output = (this.#output + text).slice(-100_000);
          if (this.#output.includes('"serving"')) resolve();
        });
      }
    });
    await Promise.race([serving, once(child, "exit")]);
    if (!isRunning(child)) throw new Error(`the server does not start: ${this.#output.trim()}`);
  }

  async kill(): Promise<void> {
    if (this.#child !== undefined) await endProcess(this.#child, "SIGKILL");
  }

  /** Sends SIGTERM, and waits until it has ended. */
  async stop(): Promise<void> {
    if (this.#child !== undefined) await endProcess(this.#child, "SIGTERM");
  }
}
