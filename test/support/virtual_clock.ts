import { setImmediate as nextTurn } from "node:timers/promises";

interface Timer {
  atMs: number;
  run: () => void;
}

/**
 * Makes a clock that stands at `startMs` (epoch milliseconds) and jumps by whole milliseconds to the next timer
 * when no promise can make progress.
 */
export function virtualClock(startMs: number) {
  let nowMs = startMs;
  /** Sorted by time; timers with the same time in the order in which they were set. */
  const timers: Timer[] = [];

  function setTimeout(run: () => void, ms: number): Timer {
    const timer = { atMs: nowMs + Math.max(0, Math.ceil(ms)), run };
    const behind = timers.findIndex(({ atMs }) => atMs > timer.atMs);
    if (behind < 0) timers.push(timer);
    else timers.splice(behind, 0, timer);
    return timer;
  }

  return {
    now: () => nowMs,
    timers: {
      setTimeout,
      clearTimeout(timer: unknown) {
        const at = timers.indexOf(timer as Timer);
        if (at >= 0) timers.splice(at, 1);
      },
    },
    wait: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
    /** Runs until no timer is left. */
    async run(): Promise<void> {
      // After a real turn of the event loop no promise can make progress.
      for (await nextTurn(); timers.length > 0; await nextTurn()) {
        const { atMs, run } = timers.shift()!;
        nowMs = atMs;
        run();
      }
    },
  };
}
