import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

const SAMPLE_MS = 100;
/** Of the time in which the thread had work, the part in which it waited for a processor. */
const BUSY_WAITING = 0.35;
/** Of all processors' time, idle: a process that is woken together with whom it talks to waits for them. */
const IDLE_ENOUGH = 0.4;

/**
 * Whether others need the processors that this process would use. Linux counts how long a thread ran,
 * and how long it waited for its turn: a process of low priority waits most of the time where orders
 * keep the processors busy, and seldom where they do not; and how long the machine was idle. Elsewhere
 * the answer is always no.
 *
 * @param nowMs milliseconds of a clock that only goes forwards
 * @param readSchedule the text of `/proc/self/schedstat`: nanoseconds on a processor, nanoseconds
 *   waiting for one, and a third number; nothing where there is no such file
 * @param readMachine the text of `/proc/stat`: its first line has the time of all processors, idle and
 *   waiting for a disk as the fourth and fifth number; nothing where there is no such file
 */
export function processorPressure(
  nowMs: () => number = () => performance.now(),
  readSchedule: () => string = () => readText("/proc/self/schedstat"),
  readMachine: () => string = () => readText("/proc/stat"),
) {
  const read = () => ({ ...readTimes(readSchedule()), ...readIdle(readMachine()) });
  let since = read();
  let sinceMs = nowMs();
  let isBusy = false;
  return {
    /** A cheap question, to be asked often; its answer is of the last tenth of a second. */
    isBusy(): boolean {
      if (nowMs() - sinceMs < SAMPLE_MS) return isBusy;
      const times = read();
      const waited = times.waited - since.waited;
      isBusy = waited > BUSY_WAITING * (times.ran - since.ran + waited) &&
        times.idle - since.idle <= IDLE_ENOUGH * (times.all - since.all);
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

function readIdle(stat: string): { idle: number; all: number } {
  const [, ...times] = stat.split("\n", 1)[0]!.trim().split(/ +/).map(Number);
  // Time of guests is counted among the first two already.
  const [, , , idle = 0, waitingForDisk = 0] = times;
  const all = times.slice(0, 8).reduce((sum, time) => sum + time, 0);
  return { idle: idle + waitingForDisk, all };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
