import { setImmediate } from "node:timers";

/**
 * Returns a function that waits until what else arrived in this turn of the event loop has been read. All calls of a
 * turn go on together, so what they hand to the crypto thread (Decision D62) wakes it once, not each time.
 */
export function createTurns(): () => Promise<void> {
  let end: Promise<void> | undefined;
  return () =>
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined;
        resolve();
      });
    });
}
