import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The programs that run in production, from the repository's root. */
export const PROGRAMS: readonly string[] = [
  "packages/console/main.ts",
  "packages/deployment/containers/prepare.ts",
  "packages/operator/main.ts",
  "packages/server/main.ts",
  "packages/sidecar/main.ts",
];

const IMPORT = /^(?:import|export)\s(?:[^;"']*?\sfrom\s)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

/** What the programs read as data. */
const DATA = /\.sql$|\/assets\/[^/]+\.(css|js|svg)$|\/(schema_version|package)\.json$/;

/** What a file imports, as it names it. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, fixed, lazy]) => (fixed ?? lazy)!);
}

/**
 * The files of `packages/` that production needs: source that a program reaches, each reached package's
 * manifest, and what a reached package reads as data. So no test, nothing that only tests use, and
 * neither sandbox nor SDK comes in.
 *
 * @param root folder of the repository
 * @returns sorted paths from `root`
 */
export function programFiles(root: string): string[] {
  const found = new Set<string>();
  const open = [...PROGRAMS];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const text = readFileSync(join(root, path), "utf8");
    if (text.includes('"./help.txt"')) found.add(join(dirname(path), "help.txt"));
    for (const specifier of importsOf(text)) {
      const target = locate(root, path, specifier);
      if (target !== undefined) open.push(target);
    }
  }
  for (const folder of new Set([...found].map(packageOf))) {
    for (const path of filesBelow(root, folder)) if (DATA.test(path)) found.add(path);
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
