import { Agent, request } from "node:https";
import type { Credential } from "./authority.ts";
import type { Edge } from "./edge.ts";

/** Counts of all callers so far. */
export interface LoadCounts {
  answered: number;
  /** A text for each failure: a status other than 200, or the connection's error. */
  failures: string[];
  /** The longest time in which an answer came. */
  slowestMs: number;
}

/** Callers that send one request after the other on persistent connections until `stop`. */
export interface Load {
  readonly seen: LoadCounts;
  /** Waits for the requests in flight, closes the connections and returns the counts. */
  stop(): Promise<LoadCounts>;
}

/** Starts a number of callers at once. */
export function startLoad(
  edge: Edge,
  {
    callers = 8,
    credential = edge.partner,
    ca = edge.authority.pem,
    target = "/v1/orders",
    pauseMs,
  }: {
    callers?: number;
    /** Pause between an answer and the next request; 0 by default. */
    pauseMs?: number;
    credential?: Credential;
    /** The PEM certificate of the authority that must have issued the server's certificate. */
    ca?: string;
    target?: string;
  } = {},
): Load {
  const seen: LoadCounts = { answered: 0, failures: [], slowestMs: 0 };
  const agent = new Agent({
    keepAlive: true,
    maxSockets: callers,
    ca,
    cert: credential.certificate,
    key: credential.key,
  });
  let isRunning = true;
  const runCaller = async () => {
    // More failures say nothing new.
    while (isRunning && seen.failures.length < 500) {
      const startMs = performance.now();
      const status = await ask(agent, edge.envoy.port, target).catch((error: Error) =>
        error.message
      );
      seen.answered++;
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startMs);
      if (status !== 200) seen.failures.push(String(status));
      if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const done = Promise.all(Array.from({ length: callers }, runCaller));
  return {
    seen,
    async stop() {
      isRunning = false;
      await done;
      agent.destroy();
      return seen;
    },
  };
}

function ask(agent: Agent, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, host: "127.0.0.1", port, path, method: "POST" }, (answer) => {
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", reject);
      answer.resume();
    });
    outgoing.on("error", reject);
    outgoing.end("{}");
  });
}
