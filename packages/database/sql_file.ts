import { readFile } from "node:fs/promises";

/**
 * A statement that only SQL says well, in a file beside the code that runs it.
 *
 * @param name the file's name
 * @param beside `import.meta.url` of the caller
 * @returns reads the statement's text, once
 */
export function sqlFile(name: string, beside: string): () => Promise<string> {
  let text: Promise<string> | undefined;
  return () => text ??= readFile(new URL(name, beside), "utf8");
}
