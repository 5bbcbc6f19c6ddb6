import type { Register } from "@sabika/core";

/** How long a look at the register may take when the picture of it is too old. */
const PATIENCE_MS = 1_000;

/** Whether the picture of the partners is fresh, after one more look if it is not. */
export async function renewRegister(
  register: Pick<Register, "isFresh" | "refresh">,
  now: () => number,
): Promise<boolean> {
  if (register.isFresh(now())) return true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([register.refresh().catch(() => {}), patience]);
  clearTimeout(timer);
  return register.isFresh(now());
}
