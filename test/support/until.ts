/**
 * Asks again and again until it is so.
 *
 * @param what said when it does not come about
 * @returns how many milliseconds it took
 * @throws Error after `withinMs`
 */
export async function until(
  isSo: () => Promise<boolean> | boolean,
  withinMs = 20_000,
  what = "what is waited for",
  everyMs = 10,
): Promise<number> {
  const startedMs = performance.now();
  while (!await isSo()) {
    if (performance.now() - startedMs > withinMs) {
      throw new Error(`${what}: not within ${withinMs} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return Math.round(performance.now() - startedMs);
}
