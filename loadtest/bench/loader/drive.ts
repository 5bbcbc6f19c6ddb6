import { percentile } from "../statistics.ts";
import type { Connection } from "./connection.ts";

/** What a run of the loader found. Times in milliseconds. */
export interface LoadResult {
  answers: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The requests ran out before the time did: the rate holds, the run was short. */
  ranOut: boolean;
}

/** Thrown when an answer is not the expected one: a rate of wrong answers is no rate. */
export class WrongAnswer extends Error {}

/**
 * Sends the requests in order over the connections, each waiting for its answer (a closed loop),
 * until the time or the requests are up, then waits for what is under way.
 *
 * @param nowMs a monotonic clock
 * @throws WrongAnswer for the first answer with another status than `expected`
 */
export function drive(
  connections: readonly Connection[],
  requests: readonly Uint8Array[],
  options: { seconds: number; expected: number; nowMs: () => number },
): Promise<LoadResult> {
  const { nowMs, expected } = options;
  const latencies = new Float64Array(requests.length);
  let next = 0;
  let answers = 0;
  let underWay = 0;
  const startedMs = nowMs();
  const endMs = startedMs + options.seconds * 1000;
  return new Promise((resolve, reject) => {
    const finish = () =>
      resolve(
        summarise(latencies.subarray(0, answers), nowMs() - startedMs, next === requests.length),
      );
    const sendNext = (connection: Connection) => {
      const sentMs = nowMs();
      if (next === requests.length || sentMs >= endMs) {
        if (underWay === 0) finish();
        return;
      }
      underWay++;
      connection.send(requests[next++]!, (status, body) => {
        latencies[answers++] = nowMs() - sentMs;
        underWay--;
        if (status !== expected) {
          return reject(
            new WrongAnswer(
              `answered ${status} instead of ${expected}: ${body.toString().slice(0, 500)}`,
            ),
          );
        }
        sendNext(connection);
      });
    };
    if (requests.length === 0) finish();
    else connections.forEach(sendNext);
  });
}

function summarise(latencies: Float64Array, elapsedMs: number, ranOut: boolean): LoadResult {
  const at = (share: number) => latencies.length === 0 ? 0 : percentile(latencies, share);
  return {
    answers: latencies.length,
    seconds: elapsedMs / 1000,
    perSecond: latencies.length / (elapsedMs / 1000),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p99Ms: at(0.99),
    maxMs: at(1),
    ranOut,
  };
}
