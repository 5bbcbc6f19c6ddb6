import { EventEmitter, once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ROOT } from "../rules/repository_files.ts";

/** How long a burst of changes may last, as when an editor saves several files. */
const BURST_MS = 100;
const SOURCE = /^(?!(.*\/)?(node_modules|\.[^/]*)(\/|$)).*\.(tsx?|mts|mjs|sql|json|md|ya?ml)$/;

/**
 * Watches the sources of the repository.
 *
 * @returns a function that resolves at the first change since its last call
 */
export function watchSources(): () => Promise<void> {
  let isChanged = false;
  const changes = new EventEmitter();
  for (const folder of ["packages", "loadtest", "test", "tools", "docs"]) {
    watch(join(ROOT, folder), { recursive: true }, (_, name) => {
      if (!SOURCE.test(String(name))) return;
      isChanged = true;
      changes.emit("change");
    });
  }
  return async () => {
    if (!isChanged) await once(changes, "change");
    await pause(BURST_MS);
    isChanged = false;
  };
}
