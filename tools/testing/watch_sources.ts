import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";

/** How long a burst of changes (an editor saves several files) may go on. */
const BURST_MS = 100;

/** Watches the sources below these folders of the repository; packages and data folders do not count. */
export function watchSources(folders: readonly string[], root = ROOT) {
  let isChanged = false;
  const changes = new EventTarget();
  const watchers = folders.map((folder) =>
    watch(join(root, folder), { recursive: true }, (_, name) => {
      if (name === null || !isSource(String(name))) return;
      isChanged = true;
      changes.dispatchEvent(new Event("change"));
    })
  );
  return {
    /** Resolves at the first change since the last call; at once when one came in between. */
    async changed() {
      if (!isChanged) await once(changes, "change");
      await new Promise((resolve) => setTimeout(resolve, BURST_MS));
      isChanged = false;
    },
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

function isSource(path: string): boolean {
  return !/(^|\/)(node_modules|\.[^/]*)(\/|$)/.test(path) &&
    /\.(tsx?|mts|mjs|sql|json|md|ya?ml)$/.test(path);
}
