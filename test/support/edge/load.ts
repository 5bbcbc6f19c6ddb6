import { Agent, request } from "node:https";
import type { Credential } from "./authority.ts";
import type { Edge } from "./edge.ts";

export interface Seen {
  answered: number;
  /** Each failure in a few words: a status that is not 200, or the connection's error. */
  failures: string[];
  /** The longest that a caller waited for an answer. */
  slowestMs: number;
}

/** Callers that ask one after the other on kept connections until `stop`. */
export type Load = ReturnType<typeof startLoad>;

/** Starts load of so many callers; `ca` is what the server is checked against. */
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
    /** Between an answer and the next request. */
    pauseMs?: number;
    credential?: Credential;
    ca?: string;
    target?: string;
  } = {},
) {
  const seen: Seen = { answered: 0, failures: [], slowestMs: 0 };
  const agent = new Agent({
    keepAlive: true,
    maxSockets: callers,
    ca,
    cert: credential.certificate,
    key: credential.key,
  });
  let going = true;
  const caller = async () => {
    // What fails over and over is not asked for ever.
    while (going && seen.failures.length < 500) {
      const asked = performance.now();
      const status = await ask(agent, edge.envoy.port, target).catch((error: Error) =>
        error.message
      );
      seen.answered++;
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - asked);
      if (status !== 200) seen.failures.push(String(status));
      if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const done = Promise.all(Array.from({ length: callers }, caller));
  return {
    seen,
    async stop() {
      going = false;
      await done;
      agent.destroy();
      return seen;
    },
  };
}

function ask(agent: Agent, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ agent, host: "127.0.0.1", port, path, method: "POST" }, (answer) => {
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", reject);
      answer.resume();
    });
    asked.on("error", reject);
    asked.end("{}");
  });
}
