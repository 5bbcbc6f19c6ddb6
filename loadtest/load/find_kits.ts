import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Finds the first `count` partner kits in a folder; returns their absolute paths.
 *
 * @throws Error that says how to make more, if there are fewer
 */
export function findKits(folder: string, count: number): string[] {
  const absolute = resolve(folder);
  const kits = existsSync(absolute)
    ? readdirSync(absolute).sort(byNumber).map((name) => join(absolute, name))
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
