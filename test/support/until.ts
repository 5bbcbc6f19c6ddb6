/** Resolves when `holds` does. @throws Error after `timeoutMs` */
export async function until(
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 20_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!await holds()) {
    if (performance.now() > end) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
