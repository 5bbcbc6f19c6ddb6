import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Finds the folders of the first `count` partner kits.
 *
 * @throws Error that says how to get them
 */
export function findKits(folder: string, count: number): string[] {
  const here = resolve(folder);
  const kits = existsSync(here)
    ? readdirSync(here).sort(byNumber).map((name) => join(here, name))
      .filter((kit) => existsSync(join(kit, "partner.json")))
    : [];
  if (kits.length < count) {
    throw new Error(
      `${kits.length} partner kits in ${folder}, ${count} wanted: start the stack with ` +
        `\`npm run stack -- --partners ${count}\` in another terminal, or name a folder of kits by --kits`,
    );
  }
  return kits.slice(0, count);
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
