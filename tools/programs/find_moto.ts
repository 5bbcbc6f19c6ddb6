import { fetchPythonPackages } from "./fetch_python_packages.ts";
import { onPath } from "./on_path.ts";

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
  const what = [`moto[server]==${MOTO_VERSION}`];
  const folder = await fetchPythonPackages(python3, `moto-${MOTO_VERSION}`, what);
  return { command: python3, args: ["-m", "moto.server"], env: { PYTHONPATH: folder } };
}
