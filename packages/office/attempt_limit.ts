/** Attempts a minute, to sign in or with a link: of one address, and of all together. */
const MOST_OF_ADDRESS = 60;
const MOST_OF_ALL = 600;
const WINDOW_MS = 60_000;

/**
 * Counts attempts in windows of a minute, in memory. Passkeys cannot be guessed: this keeps those who
 * are not signed in from filling the database with challenges. `now` is in epoch milliseconds.
 */
export function createAttemptLimit(now: () => number): { allows(address: string): boolean } {
  const counts = new Map<string, number>();
  let [windowStartedMs, all] = [0, 0];
  return {
    /** Counts an attempt; false when it is above a limit. */
    allows(address) {
      if (Math.abs(now() - windowStartedMs) >= WINDOW_MS) {
        counts.clear();
        [windowStartedMs, all] = [now(), 0];
      }
      const count = (counts.get(address) ?? 0) + 1;
      if (count > MOST_OF_ADDRESS || all >= MOST_OF_ALL) return false;
      counts.set(address, count);
      all += 1;
      return true;
    },
  };
}
