import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file whole or not at all: who reads or watches it never sees a half of it, and of two at once
 * the one that comes last stays.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${crypto.randomUUID().slice(0, 8)}.new`;
  await writeFile(beside, text, { mode });
  await rename(beside, path);
}
