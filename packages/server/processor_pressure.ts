import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

const SAMPLE_MS = 100;
/** The fraction of the thread's runnable time in which it waited for a processor. */
const BUSY_WAITING = 0.35;
/** The idle fraction of all processors; a process also waits for those it is woken together with. */
const IDLE_ENOUGH = 0.4;

/**
 * Detects that others need the processors that this process would use. Linux counts how long a thread ran
 * and how long it waited for a processor: a process of low priority mostly waits while orders keep the
 * processors busy, and rarely otherwise. It also counts the idle time of the machine. On other systems
 * the answer is always false.
 *
 * @param nowMs milliseconds of a monotonic clock
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
    /** Cheap to call often; the answer is about the last tenth of a second. */
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
  // The time of guests is already included in the first two.
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
