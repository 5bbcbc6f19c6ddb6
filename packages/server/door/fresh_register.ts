import type { Register } from "@sabika/service/partners";

/** How long refreshing the register may take while a call waits for it. */
const PATIENCE_MS = 3_000;

/**
 * Whether the register may be relied on, after refreshing it if its snapshot is too old; false if that
 * fails or takes over 3 s. A refresh that begins now shows the partners as of now, however long it takes.
 *
 * @param cellId for whose partners, who may go on while control is away; control's own by default
 */
export async function renewRegister(
  register: Pick<Register, "isFresh" | "refresh">,
  now: () => number,
  cellId?: string,
): Promise<boolean> {
  if (register.isFresh(now(), cellId)) return true;
  const isRenewed = await withinPatience(async () => {
    await register.refresh();
    if (!register.isFresh(now())) await register.refresh();
  });
  return isRenewed || register.isFresh(now(), cellId);
}

/** Whether `refresh` succeeds within 3 s; false also when it fails, as while the database is away. */
export async function withinPatience(refresh: () => Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  try {
    return await Promise.race([refresh().then(() => true), patience]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
