import { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { endProcess, isRunning, startProgram } from "../../tools/programs/own_process.ts";
import { testRecord } from "../secret_search/record.ts";

/** A process that serves. */
export interface ServingProcess {
  readonly child: ChildProcess;
  /** Rejected with its words when it ends before it serves. */
  readonly serving: Promise<void>;
  /** What it wrote, the last part. */
  words(): string;
}

/**
 * Starts a program of a server.
 *
 * @param name what its log is called
 */
export function startServing(
  program: string,
  environment: Record<string, string>,
  name: string,
): ServingProcess {
  const child = startProgram(program, environment);
  let words = "";
  child.once("close", () => testRecord.log(name, words));
  const said = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        words = (words + text).slice(-100_000);
        if (words.includes('"serving"')) resolve();
      });
    }
  });
  const serving = Promise.race([said, once(child, "exit")]).then(() => {
    if (!isRunning(child)) throw new Error(`the ${name} does not start: ${words.trim()}`);
  });
  return { child, serving, words: () => words };
}

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
  #process: ServingProcess | undefined;

  constructor(port: number, environment: Record<string, string>) {
    this.port = port;
    this.#environment = { ...environment, SABIKA_LISTEN: `127.0.0.1:${port}` };
  }

  get pid(): number {
    return this.#process!.child.pid!;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && isRunning(this.#process.child);
  }

  /** What it wrote, the last part. */
  words(): string {
    return this.#process?.words() ?? "";
  }

  /** Starts it, again on the same port, and waits until it serves. */
  async start(): Promise<void> {
    this.#process = startServing("packages/server/main.ts", this.#environment, "server");
    await this.#process.serving;
  }

  kill(): Promise<void> {
    return endProcess(this.#process!.child, "SIGKILL");
  }

  /** SIGTERM, and waits for its end. */
  stop(): Promise<void> {
    return endProcess(this.#process!.child, "SIGTERM");
  }
}
