import { performance } from "node:perf_hooks";

const SAMPLE_MS = 100;
const BUSY_UTILIZATION = 0.8;

/**
 * Whether this instance can hardly keep up with its callers: partners write, and the event loop has
 * little rest. Then delivery of webhooks goes slower, which loses nothing but time.
 *
 * @param nowMs milliseconds of a clock that only goes forwards
 */
export function orderPressure(nowMs: () => number = () => performance.now()) {
  let since = performance.eventLoopUtilization();
  let sinceMs = nowMs();
  let hasWrites = false;
  let isBusy = false;
  return {
    /** Takes note of a partner's write. */
    noteWrite: () => void (hasWrites = true),
    /** A cheap question, to be asked often; its answer is of the last tenth of a second. */
    isBusy(): boolean {
      if (nowMs() - sinceMs < SAMPLE_MS) return isBusy;
      const { idle, active, utilization } = performance.eventLoopUtilization(since);
      // Deno does not measure its loop: there the writes alone say it.
      isBusy = hasWrites && (idle + active === 0 || utilization > BUSY_UTILIZATION);
      since = performance.eventLoopUtilization();
      sinceMs = nowMs();
      hasWrites = false;
      return isBusy;
    },
  };
}
