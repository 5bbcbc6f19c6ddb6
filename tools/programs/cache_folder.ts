import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { withLock } from "./lock.mjs";

/**
 * Returns the folder outside the repository that keeps fetched and built programs for the next run:
 * `$XDG_CACHE_HOME/sabika`, else `~/.cache/sabika`, else one in the temporary folder.
 *
 * @param name a folder in it, which is created if needed; the cache itself by default
 */
export function cacheFolder(name = ""): string {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const root = XDG_CACHE_HOME
    ? join(XDG_CACHE_HOME, "sabika")
    : HOME
    ? join(HOME, ".cache", "sabika")
    : join(tmpdir(), `sabika-cache-${process.getuid?.() ?? 0}`);
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  if (!XDG_CACHE_HOME && !HOME) chmodSync(root, 0o700);
  return folder;
}

/**
 * Fills `folder` once: `fill` works in a folder beside it that takes its place only when it is complete,
 * so a broken download leaves nothing behind and two processes do not both fetch.
 *
 * @returns `folder`
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
