import { whyNotPrivate } from "@sabika/identity/keys";
import type { Environment } from "@sabika/protocol";
import type { Surroundings } from "../context.ts";
import { RefusedError } from "../outcome.ts";

/** Refuses, in production, a file of secrets that others may read; in the sandbox, warns about it. */
export async function requirePrivateFiles(
  environment: Environment,
  files: readonly (string | undefined)[],
  stderr: Surroundings["stderr"],
): Promise<void> {
  for (const file of files) {
    const reason = file && await whyNotPrivate(file).catch(() => undefined);
    if (!reason) continue;
    if (environment === "production") throw new RefusedError("file_not_private", reason);
    stderr.write(`sabika: warning: ${reason}\n`);
  }
}
