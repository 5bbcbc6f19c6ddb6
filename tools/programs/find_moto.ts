import { join } from "node:path";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { onPath } from "./on_path.ts";
import { mustRun } from "./run_program.ts";

const MOTO_VERSION = "5.2.1";

/**
 * moto's server: one on the PATH, else the pinned one from the cache, else it is fetched from PyPI.
 *
 * @throws Error with the reason when it cannot be had on this machine
 */
export async function findMoto() {
  const installed = onPath("moto_server");
  if (installed !== undefined) return { command: installed, args: [], env: {} };
  const python3 = onPath("python3");
  if (python3 === undefined) throw new Error("neither moto_server nor python3 is on the PATH");
  const folder = join(cacheFolder(), `moto-${MOTO_VERSION}`);
  await fetchOnce(folder, async (part) => {
    const quiet = ["--quiet", "--disable-pip-version-check"];
    const what = ["--only-binary", ":all:", "--target", part, `moto[server]==${MOTO_VERSION}`];
    await mustRun(python3, ["-m", "pip", "install", ...quiet, ...what]);
  });
  return { command: python3, args: ["-m", "moto.server"], env: { PYTHONPATH: folder } };
}
