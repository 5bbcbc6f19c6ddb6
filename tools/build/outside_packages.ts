import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";
import type { Component } from "./sbom.ts";

interface Manifest {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Matches the folder of the innermost package in a path. */
const PACKAGE = /^.*node_modules\/(@[^/]+\/)?[^/]+/;
/** Matches the files of a package that licences and scanners require. */
const KEPT = /^(package\.json|(un)?licen[cs]e.*|notice.*|copying.*)$/i;

/**
 * Copies the manifests and licences of packages out of the repository's node_modules.
 *
 * @param folders the folders of the packages, from the repository's root
 * @param target the folder in which `node_modules` is created
 */
export async function copyLicences(folders: readonly string[], target: string): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(join(ROOT, folder))) {
      if (KEPT.test(name)) await cp(join(ROOT, folder, name), join(target, folder, name));
    }
  }
}

/** Returns the folders of the external packages that have these files; paths from the repository's root. */
export function packagesOf(files: readonly string[]): string[] {
  return [...new Set(files.flatMap((path) => PACKAGE.exec(path)?.[0] ?? []))];
}

/**
 * Reads the manifests of packages, sorted by name.
 *
 * @param folders the folders of the packages, from the repository's root
 */
export async function readComponents(folders: readonly string[]): Promise<Component[]> {
  const manifests = new Map<string, Manifest>();
  for (const folder of folders) {
    const text = await readFile(join(ROOT, folder, "package.json"), "utf8");
    manifests.set(folder, JSON.parse(text));
  }
  const components = Array.from(manifests, ([folder, manifest]) => {
    const { name, version, license = "NOASSERTION", dependencies, peerDependencies } = manifest;
    const dependsOn = Object.keys({ ...dependencies, ...peerDependencies }).sort()
      .map((needed) =>
        manifests.get(`${folder}/node_modules/${needed}`) ?? manifests.get(`node_modules/${needed}`)
      )
      .filter((found) => found !== undefined).map((found) => `${found.name}@${found.version}`);
    return { name, version, license, dependsOn };
  });
  return components.sort((a, b) => a.name < b.name ? -1 : 1);
}
