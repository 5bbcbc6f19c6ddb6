/**
 * The arrows of the house: which part may import which. `npm run check` and a test run it over the
 * whole repository, so that no arrow is turned round by accident.
 */
import { posix } from "node:path";
import { findCycle, type Graph } from "./rules/cycles.ts";
import { checkMachineTraces } from "./rules/machine_traces.ts";
import { checkPortable } from "./rules/portable_source.ts";
import { type Import, readImports } from "./rules/read_imports.ts";
import type { SourceFile } from "./rules/repository_files.ts";
import type { Violation } from "./rules/violation.ts";

/** Which of our packages each package may import; what is not named here nobody imports. */
export const ARROWS: Record<string, readonly string[]> = {
  canonical: [],
  jws: [],
  protocol: ["canonical", "jws"],
  client: ["protocol"],
  core: ["protocol"],
  server: ["core", "protocol"],
  operator: ["core", "protocol"],
  sidecar: [],
  deployment: ["server", "core", "sidecar", "protocol"],
  sandbox: ["server", "core", "client", "deployment", "protocol"],
  loadtest: ["canonical", "jws", "protocol", "core", "client", "server", "deployment"],
};

/** Loaded as they are by Node, Deno, browsers and k6: no import from outside, no `node:` module. */
const PORTABLE = ["canonical", "jws", "protocol"];

/** All breaks of the rules in the given files (paths from the repository's root). */
export function checkImportRule(files: readonly SourceFile[]): Violation[] {
  const paths = new Set(files.map((file) => file.path));
  const dependencies = readDependencies(files);
  const exported = readExports(files);
  const sources = files.filter(({ path }) => partOf(path) !== undefined && /\.m?ts$/.test(path));
  const found = checkMachineTraces(files);
  for (const file of sources) {
    for (const one of readImports(file.text)) {
      const message = checkImport(file.path, one.specifier, paths, dependencies, exported);
      if (message !== undefined) found.push({ path: file.path, line: one.line, message });
    }
    if (PORTABLE.includes(partOf(file.path)!) && !isTest(file.path)) {
      found.push(...checkPortable(file));
    }
  }
  for (const part of PORTABLE) {
    if ((dependencies.get(part)?.size ?? 0) > 0) {
      const path = `packages/${part}/package.json`;
      found.push({ path, line: 1, message: `${part} has no dependencies` });
    }
  }
  return [...found, ...checkCycles(sources)];
}

/** `core` for packages/core/…, `loadtest`, `tools`; undefined for what belongs to none. */
function partOf(path: string): string | undefined {
  const [first, second] = path.split("/");
  return first === "packages"
    ? second
    : first === "loadtest" || first === "tools" || first === "test"
    ? first
    : undefined;
}

/** Tests, what only tests use, and the tools may look everywhere. */
function isTest(path: string): boolean {
  return /_test\.ts$|^(test|tools)\/|_bench\.ts$/.test(path);
}

function checkImport(
  path: string,
  specifier: string,
  paths: ReadonlySet<string>,
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
  exported: ReadonlySet<string>,
): string | undefined {
  const part = partOf(path)!;
  if (specifier.startsWith(".")) return checkRelative(path, specifier, paths);
  if (specifier.startsWith("@sabika/")) {
    const [, target = ""] = specifier.split("/");
    if (!exported.has(specifier)) return `${specifier} is not exported by its package.json`;
    if (isTest(path)) return undefined;
    if (PORTABLE.includes(part)) return `${part} imports by relative path, for k6`;
    return mayImport(part, target) ?? isDeclared(part, `@sabika/${target}`, dependencies);
  }
  if (isTest(path)) return undefined;
  if (/^(node:)?crypto$/.test(specifier) && part !== "loadtest") {
    return "product code uses Web Crypto, not node:crypto";
  }
  if (PORTABLE.includes(part)) return `${part} imports nothing from outside, and no ${specifier}`;
  if (/^(node:|k6(\/|$))/.test(specifier)) return undefined;
  return isDeclared(
    part,
    specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/"),
    dependencies,
  );
}

function checkRelative(path: string, specifier: string, paths: ReadonlySet<string>) {
  const target = posix.join(posix.dirname(path), specifier);
  if (!paths.has(target)) return `${specifier} is not a file of the repository`;
  const [from, to] = [partOf(path)!, partOf(target)];
  if (to === from) return undefined;
  if (to === undefined) return `${specifier} leaves the packages`;
  if (isTest(path)) return undefined;
  if (to === "tools") {
    const runs = /^(packages\/deployment\/stack|loadtest)\//.test(path);
    const programs = target.startsWith("tools/programs/");
    return runs && programs ? undefined : `${from} does not import tools`;
  }
  if (!target.endsWith("/mod.ts")) return `${specifier} is inside of ${to}: import its mod.ts`;
  const byPath = PORTABLE.includes(to) && (PORTABLE.includes(from) || from === "loadtest");
  return byPath ? mayImport(from, to) : `import @sabika/${to} by its name`;
}

function mayImport(from: string, to: string): string | undefined {
  return ARROWS[from]?.includes(to) ? undefined : `${from} does not import ${to}`;
}

function isDeclared(
  part: string,
  name: string,
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  const declared = part === "loadtest" && name.startsWith("@sabika/") ||
    dependencies.get(part)?.has(name);
  return declared ? undefined : `${name} is not a dependency of ${part}`;
}

function readDependencies(files: readonly SourceFile[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const part = partOf(path);
    if (part === undefined || !/^(packages\/\w+|loadtest)\/package\.json$/.test(path)) continue;
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
    found.set(part, new Set(Object.keys(dependencies)));
  }
  return found;
}

/** The specifiers that the packages export, such as `@sabika/server` and `@sabika/core/ledger`. */
function readExports(files: readonly SourceFile[]): Set<string> {
  const manifests = files.filter(({ path }) => /^packages\/\w+\/package\.json$/.test(path));
  return new Set(manifests.flatMap(({ path, text }) => {
    const { exports = "" } = JSON.parse(text) as { exports?: string | Record<string, string> };
    const subpaths = typeof exports === "string" ? ["."] : Object.keys(exports);
    return subpaths.map((subpath) => posix.join("@sabika", partOf(path)!, subpath));
  }));
}

/** No file, and within a package no folder, may come back to itself over others. */
function checkCycles(sources: readonly SourceFile[]): Violation[] {
  const files: Graph = new Map();
  const folders: Graph = new Map();
  for (const { path, text } of sources.filter(({ path }) => !isTest(path))) {
    for (const { specifier } of readImports(text).filter(isRelative)) {
      const target = posix.join(posix.dirname(path), specifier);
      point(files, path, target);
      const [from, to] = [posix.dirname(path), posix.dirname(target)];
      if (areApart(from, to)) point(folders, from, to);
    }
  }
  return [findCycle(files), findCycle(folders)].filter((cycle) => cycle !== undefined)
    .map((cycle) => ({
      path: cycle[0]!,
      line: 1,
      message: `imports in a circle: ${cycle.join(" → ")}`,
    }));
}

/**
 * Whether the folders lie beside one another. The few files above a folder put it together or hold what
 * all below share (a mod.ts, an app.ts, a type): between them and it the circle of files is what counts.
 */
function areApart(one: string, other: string): boolean {
  return !`${one}/`.startsWith(`${other}/`) && !`${other}/`.startsWith(`${one}/`);
}

function isRelative(one: Import): boolean {
  return one.specifier.startsWith(".");
}

function point(graph: Graph, from: string, to: string): void {
  graph.set(from, (graph.get(from) ?? new Set()).add(to));
}
