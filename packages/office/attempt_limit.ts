/** Attempts a minute to sign in or to use a link: of one address, and of all together. */
const MOST_OF_ADDRESS = 60;
const MOST_OF_ALL = 600;
const WINDOW_MS = 60_000;

/**
 * Makes a limit on attempts, counted in memory: `allows` counts an attempt, and returns false when it is
 * above 60 of its address, or 600 of all, in a minute. Passkeys cannot be guessed: this keeps those who
 * are not signed in from filling the database with challenges. `now` is in epoch milliseconds.
 */
export function createAttemptLimit(now: () => number): { allows(address: string): boolean } {
  const counts = new Map<string, number>();
  let [windowStartedMs, all] = [0, 0];
  return {
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
