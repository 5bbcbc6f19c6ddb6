import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Replaces a file in one step, so that nobody reads or watches a part of it; the last writer wins. */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${crypto.randomUUID().slice(0, 8)}.new`;
  await writeFile(beside, text, { mode });
  await rename(beside, path);
}
