import { readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { mustRun, runProgram } from "./run_program.ts";

/** A Chromium, and what its process needs in its environment. */
export interface Chromium {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A Chromium: one on the PATH, else Debian's with the libraries that are missing here, unpacked into
 * the cache folder (half a minute, once). Nothing is installed: that could raise a library under a
 * server that runs.
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findChromium(): Promise<Chromium> {
  const installed = ["chromium", "chromium-browser", "google-chrome"].map(onPath).find(Boolean);
  if (installed !== undefined) return { path: installed, env: {} };
  if (onPath("apt-get") === undefined || onPath("dpkg-deb") === undefined) {
    throw new Error("no chromium is on the PATH, and there is no apt-get to fetch one with");
  }
  const folder = await fetchOnce(join(cacheFolder(), `chromium-${process.arch}`), unpack);
  const path = join(folder, "usr", "lib", "chromium", "chromium");
  if (!isExecutable(path)) throw new Error("Debian's chromium has no program where it should be");
  const libraries = (await readdir(join(folder, "usr", "lib"), { withFileTypes: true }))
    .filter((one) => one.isDirectory() && one.name.includes("-linux-"))
    .map((one) => join(folder, "usr", "lib", one.name));
  const paths = libraries.flatMap((one) => [one, join(one, "pulseaudio")]);
  return { path, env: { LD_LIBRARY_PATH: paths.join(":") } };
}

async function unpack(folder: string): Promise<void> {
  const names = await missingPackages().catch(async () => {
    await mustRun("apt-get", ["update", "--quiet"]);
    return await missingPackages();
  });
  await mustRun("apt-get", ["download", "--quiet", ...names], { cwd: folder });
  for (const file of await readdir(folder)) {
    if (file.endsWith(".deb")) {
      await mustRun("dpkg-deb", ["--extract", join(folder, file), folder]);
    }
  }
}

/** Chromium's package and those that it needs and this machine has not. */
async function missingPackages(): Promise<string[]> {
  const { exitCode, stdout } = await runProgram("apt-get", [
    ...["install", "--simulate", "--no-install-recommends", "chromium"],
  ]);
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!);
  if (exitCode !== 0 || names.length === 0) throw new Error("apt-get knows no chromium");
  return names;
}
