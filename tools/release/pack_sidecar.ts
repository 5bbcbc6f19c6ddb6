import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeExecutable } from "../build/build_service.ts";
import { bundleProgram } from "../build/bundle_program.mjs";
import { packagesOf, readComponents } from "../build/outside_packages.ts";
import { sbomOf } from "../build/sbom.ts";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";

const PACKAGE = join(ROOT, "packages", "sidecar");
const LICENCE = /^(un)?licen[cs]e|^notice|^copying/i;

/**
 * Packs `@sabika/sidecar`: its command as one file with all that it imports, so that nothing else is
 * installed with it, the template that it reads, the licences of what is in it, and its components (CycloneDX).
 *
 * @param folder the folder for the tarball and `sabika-sidecar.cdx.json`
 * @returns the tarball's path
 */
export async function packSidecar(folder: string): Promise<string> {
  const staged = await mkdtemp(join(tmpdir(), "sabika-sidecar-"));
  try {
    const dist = join(staged, "dist");
    const sources = await bundleProgram({
      root: ROOT,
      program: "packages/sidecar/main.ts",
      out: dist,
      base: PACKAGE,
      external: [],
      isSplit: false,
    });
    await makeExecutable(join(dist, "main.js"));
    for (const data of ["envoy.yaml", "help.txt"]) {
      await copyFile(join(PACKAGE, data), join(dist, data));
    }
    const outside = packagesOf(sources).filter((path) => !path.includes("@sabika/"));
    await writeFile(join(dist, "licences.txt"), await licences(outside));
    const { name, version } = await writeManifest(staged);
    const sbom = sbomOf({ name, version }, await readComponents(outside));
    await writeFile(join(dist, "sbom.cdx.json"), sbom);
    await copyFile(join(ROOT, "LICENSE"), join(staged, "LICENSE"));
    await copyFile(join(PACKAGE, "README.md"), join(staged, "README.md"));
    await mkdir(folder, { recursive: true });
    await mustRun("npm", ["pack", staged, "--pack-destination", folder, "--loglevel=error"]);
    await writeFile(join(folder, "sabika-sidecar.cdx.json"), sbom);
    return join(folder, `sabika-sidecar-${version}.tgz`);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

async function licences(folders: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const folder of [...folders].sort()) {
    for (const name of (await readdir(join(ROOT, folder))).filter((name) => LICENCE.test(name))) {
      texts.push(`${folder}/${name}\n\n${await readFile(join(ROOT, folder, name), "utf8")}`);
    }
  }
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

async function writeManifest(folder: string): Promise<{ name: string; version: string }> {
  const read = async (file: string) => JSON.parse(await readFile(file, "utf8"));
  const { license, engines } = await read(join(ROOT, "package.json"));
  const { name, version, description, type } = await read(join(PACKAGE, "package.json"));
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { sidecar: "dist/main.js" },
    files: ["dist"],
  };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return { name, version };
}
