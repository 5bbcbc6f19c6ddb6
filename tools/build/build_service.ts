import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";
import { bundleProgram } from "./bundle_program.mjs";
import { copyLicences, packagesOf, readComponents } from "./outside_packages.ts";
import { sbomOf } from "./sbom.ts";

/** The programs that run in production, from the repository's root. */
export const PROGRAMS: readonly string[] = [
  "packages/console/main.ts",
  "packages/deployment/containers/prepare.ts",
  "packages/operator/main.ts",
  "packages/server/main.ts",
  "packages/sidecar/main.ts",
];
/** The program that loads its parts on demand; the others are one file each, which starts sooner. */
const SPLIT = "packages/operator/main.ts";
/** The sandbox's embedded database: a built program refuses a data folder that needs it. */
const LEFT_OUT = ["@electric-sql/pglite"];
/** The files that packages read as data. */
const DATA =
  /\.sql$|\/(envoy\.yaml|examples\.json)$|\/assets\/[^/]+\.(css|js|svg)$|\/schema_version\.json$/;

/** A finished build: its version and its contents. */
export interface BuiltService {
  version: string;
  /** How many external packages are in it. */
  packages: number;
  files: number;
  bytes: number;
}

/**
 * Builds the service for production into `folder`, which gets: `packages/` with the bundled programs and the
 * data that they read; `node_modules/` with manifest and licence of each external package in them, where
 * scanners look; `package.json`; `sbom.cdx.json`. The types are checked by `npm run check`.
 *
 * @param folder is created; an earlier build in it is replaced
 * @throws Error if the folder has other files, or with the bundler's message
 */
export async function buildService(folder: string): Promise<BuiltService> {
  if (existsSync(folder) && !existsSync(join(folder, "sbom.cdx.json"))) {
    if ((await readdir(folder)).length > 0) {
      throw new Error(`${folder} has files that no build made: give an empty folder or a new one`);
    }
  }
  await rm(folder, { recursive: true, force: true });
  const sources = new Set<string>();
  for (const program of PROGRAMS) {
    const paths = await bundleProgram({
      root: ROOT,
      program,
      out: join(folder, dirname(program)),
      base: join(ROOT, dirname(program)),
      external: LEFT_OUT,
      isSplit: program === SPLIT,
    });
    for (const path of paths) sources.add(path);
    await makeExecutable(join(folder, program.replace(/\.ts$/, ".js")));
  }
  for (const path of await dataOf([...sources])) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(ROOT, path), join(folder, path));
  }
  const outside = packagesOf([...sources]);
  await copyLicences(outside, folder);
  const version = await writeManifest(folder);
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const sbom = sbomOf({ name: "sabika", version }, await readComponents(outside));
  await writeFile(join(folder, "sbom.cdx.json"), sbom);
  return { version, packages: outside.length, ...await measure(folder) };
}

/** Lists the data files of these sources' packages, and the help texts beside the sources. */
async function dataOf(sources: readonly string[]): Promise<string[]> {
  const folders = new Set(sources.map((path) => dirname(path)));
  const helps = [...folders].map((folder) => `${folder}/help.txt`)
    .filter((path) => path.startsWith("packages/") && existsSync(join(ROOT, path)));
  const packages = new Set(sources.flatMap((path) => /^packages\/[^/]+/.exec(path) ?? []));
  const files = await Promise.all(
    [...packages].map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((path) => `${folder}/${path}`)
    ),
  );
  const data = files.flat().filter((path) => DATA.test(path) && !path.includes("/node_modules/"));
  return [...helps, ...data];
}

/** Makes a bundled program executable by itself. */
export async function makeExecutable(file: string): Promise<void> {
  await writeFile(file, `#!/usr/bin/env node\n${await readFile(file, "utf8")}`);
  await chmod(file, 0o755);
}

/** @returns the version of the build */
async function writeManifest(folder: string): Promise<string> {
  const { name, version, license, type, engines } = JSON.parse(
    await readFile(join(ROOT, "package.json"), "utf8"),
  );
  const bin = { sabika: "packages/operator/main.js" };
  const manifest = { name, version, private: true, license, type, engines, bin };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return version;
}

async function measure(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile())
      .map((entry) => stat(join(entry.parentPath, entry.name)).then(({ size }) => size)),
  );
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
