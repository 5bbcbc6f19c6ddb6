import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { cacheFolder } from "../programs/cache_folder.ts";
import { fetchOnce } from "../programs/fetch_once.ts";
import { onPath } from "../programs/on_path.ts";
import { mustRun } from "../programs/run_program.ts";
import { type Command } from "../clients/language.ts";
import { ROOT } from "../rules/repository_files.ts";

/** tools/contract, where programs of Python find what is ours. */
export const FOLDER = join(ROOT, "tools", "contract");
const REQUIREMENTS = join(FOLDER, "requirements.txt");

/**
 * The packages of requirements.txt, in a folder of the cache.
 *
 * @returns a command of Python that has them and clients/python
 */
export async function pythonPackages(): Promise<(...args: string[]) => Command> {
  const python3 = onPath("python3");
  if (python3 === undefined) throw new Error("python3 is not on the PATH");
  const version = (await mustRun(python3, ["--version"])).trim();
  const hash = createHash("sha256").update(await readFile(REQUIREMENTS)).digest("hex").slice(0, 12);
  const name = `${version.toLowerCase().replaceAll(" ", "-")}-${hash}`;
  const packages = await fetchOnce(join(cacheFolder("contract"), name), async (folder) => {
    await mustRun(python3, [
      ...["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"],
      ...["--only-binary", ":all:", "--target", folder, "--requirement", REQUIREMENTS],
    ]);
  });
  const client = join(ROOT, "clients", "python", "src");
  return (...args) => ({
    command: python3,
    args: ["-s", ...args],
    cwd: FOLDER,
    env: {
      PYTHONPATH: [packages, FOLDER, client].join(delimiter),
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });
}
