import { setTimeout as pause } from "node:timers/promises";

/** Restarts the parts of a stack that ended without being stopped. */
export interface Restarts {
  /** Starts a part, again and again until it has started or the stack ends. */
  until(start: () => Promise<void>): Promise<void>;
  /** Like `until`, but for a part that ended by itself; returns at once. */
  again(reason: string, start: () => Promise<void>): void;
  /** Starts nothing from now on; resolves when no start is under way. */
  end(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Creates the restarts. Like a container engine, they try for as long as the stack runs, with pauses that
 * grow from 0.5 to 30 s.
 *
 * @param progress receives a line about each restart
 */
export function createRestarts(progress: (line: string) => void): Restarts {
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

  function until(start: () => Promise<void>): Promise<void> {
    const done = startAgain(start).finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  }

  return {
    until,
    again(reason, start) {
      if (ending.signal.aborted) return;
      progress(`${reason}: it is started again`);
      void until(start);
    },
    async end() {
      ending.abort();
      await Promise.all(underWay);
    },
  };
}
