import { readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { cacheFolder } from "./cache_folder.ts";
import { fetchDebianPackages } from "./fetch_debian_packages.ts";
import { fetchOnce } from "./fetch_once.ts";
import { isExecutable, onPath } from "./on_path.ts";

/** A Chromium, and what its process needs in its environment. */
export interface Chromium {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A Chromium: one on the PATH, else Debian's with the libraries that are missing here, unpacked into
 * the cache folder (half a minute, once).
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findChromium(): Promise<Chromium> {
  const installed = ["chromium", "chromium-browser", "google-chrome"].map(onPath).find(Boolean);
  if (installed !== undefined) return { path: installed, env: {} };
  const folder = await fetchOnce(
    join(cacheFolder(), `chromium-${process.arch}`),
    (part) => fetchDebianPackages("chromium", part, { needed: true }),
  );
  const path = join(folder, "usr", "lib", "chromium", "chromium");
  if (!isExecutable(path)) throw new Error("Debian's chromium has no program where it should be");
  const libraries = (await readdir(join(folder, "usr", "lib"), { withFileTypes: true }))
    .filter((one) => one.isDirectory() && one.name.includes("-linux-"))
    .map((one) => join(folder, "usr", "lib", one.name));
  const paths = libraries.flatMap((one) => [one, join(one, "pulseaudio")]);
  return { path, env: { LD_LIBRARY_PATH: paths.join(":") } };
}
