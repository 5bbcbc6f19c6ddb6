import type { Register } from "@sabika/core";

/** How long looks at the register may take when the picture of it is too old. */
const PATIENCE_MS = 3_000;

/**
 * Whether the picture of the partners may be gone by, after a look of its own if it is too old. A
 * look that begins now and succeeds shows the partners as of now, however long it took.
 */
export async function renewRegister(
  register: Pick<Register, "isFresh" | "refresh">,
  now: () => number,
): Promise<boolean> {
  if (register.isFresh(now())) return true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  try {
    return await Promise.race([look(), patience]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }

  async function look(): Promise<boolean> {
    // This may be a look that began earlier; the one after it begins now.
    await register.refresh();
    if (!register.isFresh(now())) await register.refresh();
    return true;
  }
}
