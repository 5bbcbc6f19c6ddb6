import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { withLock } from "./lock.mjs";

/**
 * Fills `folder` once: `fill` works in a folder beside it that takes its place only when it is whole,
 * so a broken fetch leaves nothing behind and two processes do not both fetch.
 */
export async function fetchOnce(
  folder: string,
  fill: (partFolder: string) => Promise<void>,
): Promise<string> {
  if (existsSync(folder)) return folder;
  return await withLock(folder, async () => {
    if (existsSync(folder)) return folder;
    await mkdir(dirname(folder), { recursive: true });
    const part = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
    try {
      await fill(part);
      await rename(part, folder);
    } finally {
      await rm(part, { recursive: true, force: true });
    }
    return folder;
  });
}
