import { classifyFailure } from "@sabika/database";

/** Timers, such as the runtime's own. */
export interface Timers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Control is away when it refuses, or is silent for so long; until then callers wait, since it may be slow. */
const AWAY_AFTER_MS = 2_000;

/**
 * Finds out whether control is away, by the one read that is asked through it: what fails otherwise may be the key
 * service.
 *
 * @param onChange called when control is away, and when it answers again
 */
export function watchControl(timers: Timers, onChange: () => void) {
  let isAway = false;

  function note(isNow: boolean): void {
    if (isNow === isAway) return;
    isAway = isNow;
    onChange();
  }

  return {
    isAway: () => isAway,
    async ask<T>(read: () => Promise<T>): Promise<T> {
      const overdue = timers.setTimeout(() => note(true), AWAY_AFTER_MS);
      try {
        const answer = await read();
        note(false);
        return answer;
      } catch (error) {
        if (/away|lost/.test(classifyFailure(error))) note(true);
        throw error;
      } finally {
        timers.clearTimeout(overdue);
      }
    },
  };
}
