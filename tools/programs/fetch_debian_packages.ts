import { readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { onPath } from "./on_path.ts";
import { mustRun, runProgram } from "./run_program.ts";

/**
 * Unpacks packages of Debian into a folder of the cache, once. Nothing is installed: that could raise a
 * library under a server that runs.
 *
 * @param name the package
 * @param options.needed with all packages that it needs and this machine has not
 * @returns the folder
 * @throws Error when this is no Debian, or its lists know none
 */
export async function fetchDebianPackages(
  name: string,
  options: { needed: boolean } = { needed: true },
): Promise<string> {
  return await fetchOnce(join(cacheFolder(), `${name}-${process.arch}`), async (folder) => {
    if (onPath("apt-get") === undefined || onPath("dpkg-deb") === undefined) {
      throw new Error(`no ${name} is on the PATH, and there is no apt-get to fetch one with`);
    }
    const missing = () => missingPackages(name);
    const names = await missing().catch(async () => {
      await mustRun("apt-get", ["update", "--quiet"]);
      return await missing();
    });
    const wanted = options.needed ? names : [name];
    await mustRun("apt-get", ["download", "--quiet", ...wanted], { cwd: folder });
    for (const file of await readdir(folder)) {
      if (file.endsWith(".deb")) {
        await mustRun("dpkg-deb", ["--extract", join(folder, file), folder]);
      }
    }
  });
}

/** A package and those that it needs and this machine has not. */
async function missingPackages(name: string): Promise<string[]> {
  const { exitCode, stdout } = await runProgram("apt-get", [
    ...["install", "--simulate", "--no-install-recommends", name],
  ]);
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found]) => found!);
  if (exitCode !== 0 || names.length === 0) throw new Error(`apt-get knows no ${name}`);
  return names;
}

/**
 * Where programs below an unpacked `usr` find their libraries, for LD_LIBRARY_PATH.
 *
 * @param within folders of libraries within those of the machine's kind
 */
export async function libraryPath(usr: string, ...within: string[]): Promise<string> {
  const folders = (await readdir(join(usr, "lib"))).filter((name) => name.includes("-linux-"))
    .map((name) => join(usr, "lib", name));
  return folders.flatMap((folder) => ["", ...within].map((name) => join(folder, name))).join(":");
}
