import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What a file of the data folder notes; undefined when there is none, or nothing in it. */
export function readNoted(folder: string, name: string): Promise<string | undefined> {
  return readFile(join(folder, name), "utf8").then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
}
