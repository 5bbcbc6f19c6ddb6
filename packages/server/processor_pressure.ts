import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

const SAMPLE_MS = 100;
/** Of the time in which the thread had work, the part in which it waited for a processor. */
const BUSY_WAITING = 0.35;

/**
 * Whether others need the processors that this process would use. Linux counts how long a thread ran,
 * and how long it waited for its turn: a process of low priority waits most of the time where orders
 * keep the processors busy, and seldom where they do not. Elsewhere the answer is always no.
 *
 * @param nowMs milliseconds of a clock that only goes forwards
 * @param readSchedule the text of `/proc/self/schedstat`: nanoseconds on a processor, nanoseconds
 *   waiting for one, and a third number; nothing where there is no such file
 */
export function processorPressure(
  nowMs: () => number = () => performance.now(),
  readSchedule: () => string = readOwnSchedule,
) {
  let since = readTimes(readSchedule());
  let sinceMs = nowMs();
  let isBusy = false;
  return {
    /** A cheap question, to be asked often; its answer is of the last tenth of a second. */
    isBusy(): boolean {
      if (nowMs() - sinceMs < SAMPLE_MS) return isBusy;
      const times = readTimes(readSchedule());
      const waited = times.waited - since.waited;
      isBusy = waited > BUSY_WAITING * (times.ran - since.ran + waited);
      since = times;
      sinceMs = nowMs();
      return isBusy;
    },
  };
}

function readTimes(schedule: string): { ran: number; waited: number } {
  const [ran = 0, waited = 0] = schedule.split(" ").map(Number);
  return { ran, waited };
}

function readOwnSchedule(): string {
  try {
    return readFileSync("/proc/self/schedstat", "utf8");
  } catch {
    return "";
  }
}
