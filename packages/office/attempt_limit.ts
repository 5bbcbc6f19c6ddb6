/** How many attempts to sign in, or with links, an address has in a minute, and all together. */
const OF_ADDRESS = 60;
const OF_ALL = 600;
const WINDOW_MS = 60_000;

/**
 * Counts attempts in windows of a minute, in memory. Passkeys cannot be guessed: this keeps those who
 * are not signed in from filling the database with challenges.
 */
export function createAttemptLimit(now: () => number): { allows(address: string): boolean } {
  const counts = new Map<string, number>();
  let [windowStartedMs, all] = [0, 0];
  return {
    /** Counts one more; false when it is one too many. */
    allows(address) {
      if (Math.abs(now() - windowStartedMs) >= WINDOW_MS) {
        counts.clear();
        [windowStartedMs, all] = [now(), 0];
      }
      const count = (counts.get(address) ?? 0) + 1;
      if (count > OF_ADDRESS || all >= OF_ALL) return false;
      counts.set(address, count);
      all += 1;
      return true;
    },
  };
}
