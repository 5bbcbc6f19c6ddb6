import { join } from "node:path";
import process from "node:process";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { installNpmPackages } from "./install_npm_packages.ts";

/**
 * The path of a Node of exactly this version: the one that runs this, else one from the cache, where
 * npm puts it once (5 s).
 *
 * @param version such as `22.23.3`
 * @throws Error with the reason when there is none for this machine
 */
export async function fetchNode(version: string): Promise<string> {
  if (!("Deno" in globalThis) && process.versions.node === version) return process.execPath;
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = await fetchOnce(
    join(cacheFolder(), `node-${version}`),
    (part) => installNpmPackages(part, [`${name}@${version}`]),
  );
  return join(folder, "node_modules", name, "bin", "node");
}
