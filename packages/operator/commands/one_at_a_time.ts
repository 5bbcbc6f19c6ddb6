import { open, rm } from "node:fs/promises";
import { RefusedError } from "../outcome.ts";

/**
 * Runs something that reads a file and then replaces it, under a lock: otherwise two processes could
 * overwrite each other's change.
 *
 * @throws RefusedError while another change is running, or after one was interrupted
 */
export async function oneAtATime<T>(file: string, run: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  try {
    await (await open(lock, "wx", 0o600)).close();
  } catch (error) {
    const { code } = error as { code?: string };
    throw code === "EEXIST"
      ? new RefusedError(
        "busy",
        `another change of ${file} is running; if none is (one was interrupted), remove ${lock}`,
      )
      : new RefusedError("no_file", `${file} cannot be changed here (${code ?? "error"})`);
  }
  try {
    return await run();
  } finally {
    await rm(lock, { force: true });
  }
}
