import type { Register } from "@sabika/core/partners";

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
  return await inTime(async () => {
    await register.refresh();
    if (!register.isFresh(now())) await register.refresh();
  });
}

/** Looks at the partners as of now, be the picture fresh or not; false when the database is away. */
export async function lookAtRegister(register: Pick<Register, "refresh">): Promise<boolean> {
  return await inTime(() => register.refresh());
}

async function inTime(look: () => Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  try {
    return await Promise.race([look().then(() => true), patience]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
