import { Agent, request } from "node:https";
import type { Credential } from "./authority.ts";
import type { Edge } from "./edge.ts";

/** Counts of all callers so far. */
export interface LoadCounts {
  answered: number;
  /** A text for each failure: a status other than 200, or the connection's error. */
  failures: string[];
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
    pauseMs,
  }: {
    callers?: number;
    /** Pause between an answer and the next request; 0 by default. */
    pauseMs?: number;
    credential?: Credential;
  } = {},
): Load {
  const seen: LoadCounts = { answered: 0, failures: [] };
  const agent = new Agent({
    keepAlive: true,
    maxSockets: callers,
    ca: edge.authority.pem,
    cert: credential.certificate,
    key: credential.key,
  });
  let isRunning = true;
  const runCaller = async () => {
    // More failures say nothing new.
    while (isRunning && seen.failures.length < 500) {
      const status = await ask(agent, edge.envoy.port).catch((error: Error) => error.message);
      seen.answered++;
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

function ask(agent: Agent, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = { agent, host: "127.0.0.1", port, path: "/v1/orders", method: "POST" };
    const outgoing = request(call, (answer) => {
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", reject);
      answer.resume();
    });
    outgoing.on("error", reject);
    outgoing.end("{}");
  });
}
