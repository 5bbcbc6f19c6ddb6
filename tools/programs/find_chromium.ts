import { join } from "node:path";
import { fetchDebianPackages, libraryPath } from "./fetch_debian_packages.ts";
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
  const usr = join(await fetchDebianPackages("chromium"), "usr");
  const path = join(usr, "lib", "chromium", "chromium");
  if (!isExecutable(path)) throw new Error("Debian's chromium has no program where it should be");
  return { path, env: { LD_LIBRARY_PATH: await libraryPath(usr, "pulseaudio") } };
}
