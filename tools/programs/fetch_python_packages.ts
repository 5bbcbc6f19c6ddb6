import { join } from "node:path";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { mustRun } from "./run_program.ts";

/**
 * Installs packages of Python as wheels into a folder of the cache, once, for PYTHONPATH.
 *
 * @param name the folder's, with the packages' versions or a hash of them
 * @param what what pip is to install, such as `moto[server]==5.2.1` or `--requirement FILE`
 */
export async function fetchPythonPackages(
  python3: string,
  name: string,
  what: readonly string[],
): Promise<string> {
  return await fetchOnce(join(cacheFolder(), name), async (folder) => {
    await mustRun(python3, [
      ...["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"],
      ...["--only-binary", ":all:", "--target", folder, ...what],
    ]);
  });
}
