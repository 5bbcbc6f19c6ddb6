import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, resolve } from "node:path";
import { readImports } from "../rules/read_imports.ts";
import { ROOT } from "../rules/repository_files.ts";

/** What a test file needs beside a runtime. */
export type TestKind = "plain" | "database" | "postgresql" | "envoy" | "fault";

/** One test file, by its path from the repository's root. */
export interface TestFile {
  path: string;
  kind: TestKind;
  /** It has a size of its own for `--long`. */
  sized?: true;
}

const HAS_SIZE = /from "[^"]*\/sized\.ts";/;

/** Who opens a database through this runs on PGlite and on PostgreSQL. */
const DATABASE_DOOR = "test/support/test_database.ts";

/**
 * The test files of the repository below the given paths, or all.
 *
 * @throws Error when a path has no test file: a run that finds nothing must not be green
 */
export function listTests(below: readonly string[], root = ROOT): TestFile[] {
  const all = ["packages", "loadtest", "test", "tools"].map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder)).flatMap((folder) => [...walk(folder)])
    .map((path) => relative(root, path)).sort();
  const wanted = below.map((path) => relative(root, resolve(root, path)));
  for (const path of wanted) {
    if (!all.some((file) => isBelow(file, path))) throw new Error(`no test file is below ${path}`);
  }
  if (all.length === 0) throw new Error("no test file was found");
  const chosen = wanted.length === 0
    ? all
    : all.filter((file) => wanted.some((path) => isBelow(file, path)));
  return chosen.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, kind: kindOf(path, root), ...(HAS_SIZE.test(text) ? { sized: true } : {}) };
  });
}

function isBelow(file: string, path: string): boolean {
  return path === "" || file === path || file.startsWith(`${path}/`);
}

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name.startsWith(".")) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.name.endsWith("_test.ts")) yield path;
  }
}

function kindOf(path: string, root: string): TestKind {
  const [, named] = /_(postgresql|envoy|fault)_test\.ts$/.exec(path) ?? [];
  if (named !== undefined) return named as TestKind;
  return reaches(path, DATABASE_DOOR, root, new Set()) ? "database" : "plain";
}

/** Whether a file imports another, itself or over others, by relative paths. */
function reaches(path: string, target: string, root: string, seen: Set<string>): boolean {
  if (path === target) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  let text: string;
  try {
    text = readFileSync(join(root, path), "utf8");
  } catch {
    return false;
  }
  return readImports(text).filter(({ specifier }) => specifier.startsWith("."))
    .some(({ specifier }) =>
      reaches(posix.join(posix.dirname(path), specifier), target, root, seen)
    );
}
