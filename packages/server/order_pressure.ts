import { performance } from "node:perf_hooks";

const SAMPLE_MS = 100;
const BUSY_UTILIZATION = 0.8;

/**
 * Whether this instance can hardly keep up with its callers: writes wait for their batch and the
 * event loop has little rest. Then delivery of webhooks goes slower, which loses nothing but time.
 *
 * @param waiting writes that wait for the next batch
 * @param nowMs milliseconds of a clock that only goes forwards
 * @returns a cheap question, to be asked often; its answer is of the last tenth of a second
 */
export function orderPressure(
  waiting: () => number,
  nowMs: () => number = () => performance.now(),
): () => boolean {
  let since = performance.eventLoopUtilization();
  let sinceMs = nowMs();
  let hasWaited = false;
  let isBusy = false;
  return () => {
    hasWaited ||= waiting() > 0;
    if (nowMs() - sinceMs < SAMPLE_MS) return isBusy;
    const { idle, active, utilization } = performance.eventLoopUtilization(since);
    // Deno does not measure its loop: there the writes alone say it.
    isBusy = hasWaited && (idle + active === 0 || utilization > BUSY_UTILIZATION);
    since = performance.eventLoopUtilization();
    sinceMs = nowMs();
    hasWaited = false;
    return isBusy;
  };
}
