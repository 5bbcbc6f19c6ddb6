import { readFile } from "node:fs/promises";
import { RefusedError } from "../outcome.ts";

/** Reads a file that the operator named; throws a `RefusedError` that names it as `what` if it cannot. */
export async function readTextFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as { code?: string };
    throw new RefusedError("no_file", `${what} ${path} cannot be read (${code ?? "error"})`);
  }
}
