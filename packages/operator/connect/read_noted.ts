import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Reads a file of the data folder, trimmed; undefined when it is missing or empty. */
export function readNoted(folder: string, name: string): Promise<string | undefined> {
  return readFile(join(folder, name), "utf8").then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
}
