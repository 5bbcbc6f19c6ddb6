import { performance } from "node:perf_hooks";

const SAMPLE_MS = 100;
const BUSY_UTILIZATION = 0.8;

/**
 * Detects that this instance can hardly keep up with its callers: partners write, and the event loop is
 * rarely idle. Then webhooks are delivered more slowly, which only delays them.
 *
 * @param nowMs milliseconds of a monotonic clock
 */
export function orderPressure(nowMs: () => number = () => performance.now()) {
  let since = performance.eventLoopUtilization();
  let sinceMs = nowMs();
  let hasWrites = false;
  let isBusy = false;
  return {
    noteWrite: () => void (hasWrites = true),
    /** Cheap to call often; the answer is about the last tenth of a second. */
    isBusy(): boolean {
      if (nowMs() - sinceMs < SAMPLE_MS) return isBusy;
      const { idle, active, utilization } = performance.eventLoopUtilization(since);
      // Deno does not measure its event loop, so there only the writes count.
      isBusy = hasWrites && (idle + active === 0 || utilization > BUSY_UTILIZATION);
      since = performance.eventLoopUtilization();
      sinceMs = nowMs();
      hasWrites = false;
      return isBusy;
    },
  };
}
