import { setTimeout as pause } from "node:timers/promises";

/** Parts of a stack that are being started again because they ended by themselves. */
export type Restarts = ReturnType<typeof createRestarts>;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Restarts what ended without being stopped, as a container engine does: again and again, at growing
 * pauses, for as long as the stack runs.
 */
export function createRestarts(progress: (line: string) => void) {
  const underWay = new Set<Promise<void>>();
  const ending = new AbortController();

  async function startAgain(start: () => Promise<void>): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!ending.signal.aborted) {
      try {
        return await start();
      } catch (error) {
        progress(`${(error as Error).message}; tried again in ${pauseMs / 1000} s`);
      }
      await pause(pauseMs, undefined, { signal: ending.signal }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  /** Starts a part, again and again until it has started or the stack ends. */
  function until(start: () => Promise<void>): Promise<void> {
    const done = startAgain(start).finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  }

  return {
    until,
    /** As `until`, for a part that ended by itself; nobody waits for it. */
    again(reason: string, start: () => Promise<void>) {
      if (ending.signal.aborted) return;
      progress(`${reason}: it is started again`);
      void until(start);
    },
    /** Nothing is started again from now on; resolves when no start is under way. */
    async end() {
      ending.abort();
      await Promise.all(underWay);
    },
  };
}
