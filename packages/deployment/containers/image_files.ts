/**
 * Which files of the packages go into the image: what its programs import, and nothing else. So no test,
 * nothing that only tests use, and neither sandbox nor SDK comes in. The Dockerfile runs this file by
 * itself with Node, without tsx: it imports Node's own modules alone.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** The programs that containers run, from the repository's root. */
export const PROGRAMS = [
  "packages/deployment/containers/prepare.ts",
  "packages/operator/main.ts",
  "packages/server/main.ts",
];

const IMPORT = /^(?:import|export)\s(?:[^;"']*?\sfrom\s)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

/**
 * The files that the image holds of `packages/`: source that a program reaches, each reached package's
 * manifest, and what a reached package reads as data (SQL).
 *
 * @param root folder of the repository
 * @returns sorted paths from `root`
 */
export function imageFiles(root: string): string[] {
  const found = new Set<string>();
  const open = [...PROGRAMS];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    for (const [, fixed, lazy] of readFileSync(join(root, path), "utf8").matchAll(IMPORT)) {
      const target = locate(root, path, (fixed ?? lazy)!);
      if (target !== undefined) open.push(target);
    }
  }
  for (const folder of new Set([...found].map(packageOf))) {
    for (const path of filesBelow(root, folder)) {
      if (path.endsWith(".sql") || path.endsWith(".json")) found.add(path);
    }
  }
  return [...found].sort();
}

/** The file of the repository that an import means; undefined for what comes from outside. */
function locate(root: string, from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  const [scope, name = "", ...rest] = specifier.split("/");
  if (scope !== "@sabika") return undefined;
  const manifest = readFileSync(join(root, "packages", name, "package.json"), "utf8");
  const { exports } = JSON.parse(manifest) as { exports: string | Record<string, string> };
  const subpath = [".", ...rest].join("/");
  const target = typeof exports === "string" ? exports : exports[subpath];
  if (target === undefined) throw new Error(`${from}: ${specifier} is not exported`);
  return join("packages", name, target);
}

function packageOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function* filesBelow(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.name === "node_modules") continue;
    if (entry.isDirectory()) yield* filesBelow(root, path);
    else yield path;
  }
}

/** Removes from `packages/` all that the image does not hold. */
function prune(root: string): void {
  const kept = new Set(imageFiles(root));
  for (const path of filesBelow(root, "packages")) {
    if (!kept.has(path)) rmSync(join(root, path));
  }
}

const [, program = "", root] = process.argv;
if (existsSync(program) && import.meta.url === pathToFileURL(resolve(program)).href) {
  if (root === undefined) throw new Error("usage: node image_files.ts ROOT");
  prune(relative(".", root) || ".");
}
