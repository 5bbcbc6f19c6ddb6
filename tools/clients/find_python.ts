import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { delimiter } from "node:path";
import process from "node:process";
import { fetchPythonPackages } from "../programs/fetch_packages.ts";
import { onPath } from "../programs/on_path.ts";
import { mustRun } from "../programs/run_program.ts";
import type { Command } from "./subject.ts";

/** A Python with the packages of a requirements file. */
export interface Python {
  /** `Python 3.11.7` */
  version: string;
  /** Makes a command of Python in a folder, with these paths before the packages on PYTHONPATH. */
  run(cwd: string, paths: readonly string[], ...args: string[]): Command;
}

/**
 * Finds Python, and fetches the packages into a folder of the cache.
 *
 * @param name the program; another version is `python3.13`, say
 * @throws Error with the reason if this machine does not have it
 */
export async function findPython(requirements: string, name = "python3"): Promise<Python> {
  const found = onPath(name);
  if (found === undefined) throw new Error(`${name} is not on the PATH`);
  // What pyenv puts on the PATH wants to be told the version.
  const chosen = name === "python3" ? {} : { PYENV_VERSION: name.replace("python", "") };
  const where = ["-c", "import sys; print(sys.executable)"];
  const python3 = (await mustRun(found, where, { env: { ...process.env, ...chosen } })).trim();
  const version = (await mustRun(python3, ["--version"])).trim();
  const [, minor = 0] = /^Python 3\.(\d+)/.exec(version) ?? [];
  if (Number(minor) < 10) throw new Error(`${version} is too old: it takes 3.10 or later`);
  const hash = createHash("sha256").update(await readFile(requirements)).digest("hex").slice(0, 12);
  const folder = `${version.toLowerCase().replaceAll(" ", "-")}-${hash}`;
  const packages = await fetchPythonPackages(python3, folder, ["--requirement", requirements]);
  return {
    version,
    run: (cwd, paths, ...args) => ({
      command: python3,
      args: ["-s", ...args],
      cwd,
      env: { PYTHONPATH: [...paths, packages].join(delimiter), PYTHONDONTWRITEBYTECODE: "1" },
    }),
  };
}
