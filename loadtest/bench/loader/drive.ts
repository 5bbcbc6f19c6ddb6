import { percentile } from "../statistics.ts";
import type { Connection } from "./connection.ts";

/** The result of a run of the loader. */
export interface LoadResult {
  answers: number;
  /** The number of answers with the first of the expected statuses. */
  succeeded: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Whether the run ended early because all requests were sent; the rate is still valid. */
  ranOut: boolean;
}

/** The duration of a run, its pace, and the expected answers. */
export interface DriveOptions {
  seconds: number;
  /** The statuses that answers may have; the first one counts as success. */
  expected: readonly number[];
  /**
   * Requests per second at fixed times, whether or not answers come; latencies then count from the time
   * when a request was due. By default a connection sends its next request when it has its answer.
   */
  pace?: number | undefined;
  /** A monotonic clock, in milliseconds. */
  nowMs: () => number;
}

/**
 * Sends the requests in order over the connections, at most one in flight on each, until the time is up or
 * all requests are sent, and waits for the last answers.
 *
 * @throws Error for the first answer with an unexpected status
 */
export function drive(
  connections: readonly Connection[],
  requests: readonly Uint8Array[],
  options: DriveOptions,
): Promise<LoadResult> {
  const { nowMs, expected, pace } = options;
  const latencies = new Float64Array(requests.length);
  const idle = [...connections];
  const startedMs = nowMs();
  const endMs = startedMs + options.seconds * 1000;
  let next = 0;
  let answers = 0;
  let succeeded = 0;
  return new Promise((resolve, reject) => {
    const isOver = () => next === requests.length || nowMs() >= endMs;
    const dueMs = () => pace === undefined ? nowMs() : startedMs + next * 1000 / pace;
    const pump = () => {
      while (idle.length > 0 && !isOver() && dueMs() <= nowMs()) send(idle.pop()!, dueMs());
      if (isOver() && idle.length === connections.length) {
        clearInterval(clock);
        const ranOut = next === requests.length;
        resolve(summarise(latencies.subarray(0, answers), succeeded, nowMs() - startedMs, ranOut));
      }
    };
    const send = (connection: Connection, sinceMs: number) => {
      connection.send(requests[next++]!, (status, body) => {
        latencies[answers++] = nowMs() - sinceMs;
        if (status === expected[0]) succeeded++;
        if (!expected.includes(status)) {
          clearInterval(clock);
          const text = body.toString().slice(0, 500);
          return reject(new Error(`answered ${status} instead of ${expected[0]}: ${text}`));
        }
        idle.push(connection);
        pump();
      });
    };
    const clock = pace === undefined ? undefined : setInterval(pump, 1);
    pump();
  });
}

function summarise(
  latencies: Float64Array,
  succeeded: number,
  elapsedMs: number,
  ranOut: boolean,
): LoadResult {
  const at = (share: number) => latencies.length === 0 ? 0 : percentile(latencies, share);
  return {
    answers: latencies.length,
    succeeded,
    seconds: elapsedMs / 1000,
    perSecond: latencies.length / (elapsedMs / 1000),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p99Ms: at(0.99),
    maxMs: at(1),
    ranOut,
  };
}
