import { readFile } from "node:fs/promises";

/** Reads a text file; undefined where there is none. */
export function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
