import { percentile } from "../statistics.ts";
import type { Connection } from "./connection.ts";

/** What a run of the loader found. Times in milliseconds. */
export interface LoadResult {
  answers: number;
  /** Answers with the first of the expected statuses. */
  succeeded: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The requests ran out before the time did: the rate holds, the run was short. */
  ranOut: boolean;
}

/** How requests are sent, and for how long. */
export interface DriveOptions {
  seconds: number;
  /** The statuses that may come; the first is the one that counts as success. */
  expected: readonly number[];
  /**
   * Requests a second, by a clock and not by the answers; a latency is then counted from the moment
   * when the request was due, so that a slow service cannot slow down the question. Without it each
   * connection sends its next request when it has its answer.
   */
  pace?: number | undefined;
  /** A monotonic clock. */
  nowMs: () => number;
}

/**
 * Sends the requests in order over the connections, at most one under way on each, until the time or
 * the requests are up, then waits for what is under way.
 *
 * @throws Error for the first answer with a status that was not expected: a rate of wrong answers is
 *   no rate
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
          const words = body.toString().slice(0, 500);
          return reject(new Error(`answered ${status} instead of ${expected[0]}: ${words}`));
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
