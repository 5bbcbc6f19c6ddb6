import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { RefusedError } from "../outcome.ts";

/** The master keys' text, and the file that it came from, if any. */
export interface MasterKeyText {
  text: string;
  file: string | undefined;
}

/**
 * Finds the master keys: in the given file, else in `SABIKA_MASTER_KEY` or `SABIKA_MASTER_KEY_FILE`, else in
 * `master.key` of the data folder, where the sandbox keeps its own.
 */
export async function readMasterKeyText(options: {
  file: string | undefined;
  dataFolder: string;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<MasterKeyText> {
  const { env } = options;
  const named = options.file ?? env["SABIKA_MASTER_KEY_FILE"];
  if (options.file === undefined && env["SABIKA_MASTER_KEY"] !== undefined) {
    return { text: env["SABIKA_MASTER_KEY"], file: undefined };
  }
  const file = named ?? join(options.dataFolder, "master.key");
  try {
    return { text: await readFile(file, "utf8"), file };
  } catch {
    throw new RefusedError(
      "no_master_key",
      `there is no master key in ${file}: give --master-key-file FILE, or SABIKA_MASTER_KEY`,
    );
  }
}
