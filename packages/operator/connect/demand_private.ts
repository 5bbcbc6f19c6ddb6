import { whyNotPrivate } from "@sabika/identity/keys";
import type { Environment } from "@sabika/protocol";
import type { Surroundings } from "../context.ts";
import { RefusedError } from "../outcome.ts";

/** In production nobody else may read what opens the database or its secrets; a sandbox is warned. */
export async function demandPrivate(
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
