/** Only a failure takes so long; a machine that does other things needs a part of it. */
const WITHIN_MS = 120_000;

/**
 * Waits until a condition holds, by checking it repeatedly.
 *
 * @param what the condition in words, for the error
 * @returns the milliseconds until it held
 * @throws Error if it does not hold within `withinMs`
 */
export async function until(
  holds: () => Promise<boolean> | boolean,
  withinMs = WITHIN_MS,
  what = "what is waited for",
  everyMs = 10,
): Promise<number> {
  const startedMs = performance.now();
  while (!await holds()) {
    if (performance.now() - startedMs > withinMs) {
      throw new Error(`${what}: not within ${withinMs} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return Math.round(performance.now() - startedMs);
}
