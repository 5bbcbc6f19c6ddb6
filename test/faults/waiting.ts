export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Asks again and again until the answer is yes.
 *
 * @returns how many milliseconds it took
 * @throws Error when it took longer than `withinMs`
 */
export async function until(
  what: string,
  withinMs: number,
  isSo: () => Promise<boolean> | boolean,
  everyMs = 20,
): Promise<number> {
  const startedMs = Date.now();
  while (true) {
    if (await isSo()) return Date.now() - startedMs;
    if (Date.now() - startedMs > withinMs) throw new Error(`${what}: not within ${withinMs} ms`);
    await pause(everyMs);
  }
}

/** Rejects when a promise takes longer than it may. */
export async function within<T>(what: string, ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
