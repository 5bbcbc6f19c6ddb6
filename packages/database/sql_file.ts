import { readFile } from "node:fs/promises";

/**
 * Reads a statement from an SQL file beside the code that runs it.
 *
 * @param name the file's name
 * @param beside `import.meta.url` of the caller
 * @returns a function that returns the file's text, which it reads until that succeeds once
 */
export function sqlFile(name: string, beside: string): () => Promise<string> {
  let text: Promise<string> | undefined;
  return () => {
    text ??= readFile(new URL(name, beside), "utf8");
    text.catch(() => text = undefined);
    return text;
  };
}
