import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, resolve } from "node:path";
import { readImports } from "../rules/read_imports.ts";
import { ROOT } from "../rules/repository_files.ts";

/** What a test file needs besides a runtime. */
export type TestKind = "plain" | "database" | "postgresql" | "envoy" | "fault";

/** A test file, by its path from the repository's root. */
export interface TestFile {
  path: string;
  kind: TestKind;
  /** Whether the test runs longer under `--long`. */
  sized: boolean;
}

/** Where a test file runs: a runtime, and a database if it needs one. */
export interface Combination {
  runtime: "Node" | "Deno";
  database?: "PGlite" | "PostgreSQL";
}

/** Which combinations are chosen. */
export interface MatrixChoice {
  runtime?: Combination["runtime"] | undefined;
  database?: Combination["database"] | undefined;
  /** Whether all combinations that a file can run on are chosen. */
  all?: boolean;
}

/**
 * What `npm test` runs on Deno as well, without tests that open a database: what partners run there.
 * `tools/sandbox_permissions_fault_test.ts`, in the gate, starts the sandbox on Deno, with its embedded database.
 */
export const ON_DENO = [
  "packages/canonical",
  "packages/client",
  "packages/jws",
  "packages/protocol",
];

/** Files that take long on Deno; they run there in the gate. */
export const LONG_ON_DENO = [
  "packages/operator/data_folder_test.ts",
  "packages/protocol/diagnosis_test.ts",
];

const RUNTIMES = ["Node", "Deno"] as const;
const DATABASES = ["PGlite", "PostgreSQL"] as const;
const HAS_SIZE = /from "[^"]*\/sized\.ts";/;
/** Tests that open a database with this module can run on PGlite and on PostgreSQL. */
const DATABASE_DOOR = "test/support/test_database.ts";

/**
 * Lists the test files of the repository below these paths, or all if there are none.
 *
 * @throws Error if a path has no test file: a run without tests must not pass
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
  return all.filter((file) => wanted.length === 0 || wanted.some((path) => isBelow(file, path)))
    .map((path) => ({
      path,
      kind: kindOf(path, root),
      sized: HAS_SIZE.test(readFileSync(join(root, path), "utf8")),
    }));
}

/**
 * Returns the combinations on which a file runs: Node with PostgreSQL, and Deno by the lists above; or, if
 * something is chosen, all chosen combinations on which it can run. The gate chooses the embedded database.
 */
export function matrixOf(
  { path, kind }: Pick<TestFile, "path" | "kind">,
  choice: MatrixChoice = {},
): Combination[] {
  const isChosen = choice.all || choice.runtime || choice.database;
  return possible(kind).filter(({ runtime, database }) =>
    isChosen
      ? (choice.runtime ?? runtime) === runtime &&
        (database === undefined || (choice.database ?? database) === database)
      : runtime === "Deno"
      ? database === undefined && ON_DENO.some((row) => isBelow(path, row)) &&
        !LONG_ON_DENO.includes(path)
      : database !== "PGlite"
  );
}

/** Formats a combination as `Node` or `Deno · PostgreSQL`. */
export function combinationName({ runtime, database }: Combination): string {
  return database === undefined ? runtime : `${runtime} · ${database}`;
}

function possible(kind: TestKind): Combination[] {
  if (kind === "plain") return RUNTIMES.map((runtime) => ({ runtime }));
  // Faults strike servers and databases, not the test's own runtime.
  if (kind === "fault") return [{ runtime: "Node", database: "PostgreSQL" }];
  const databases = kind === "database" ? DATABASES : ["PostgreSQL"] as const;
  return databases.flatMap((database) => RUNTIMES.map((runtime) => ({ runtime, database })));
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

/** Returns whether a file imports another by relative paths, directly or indirectly. */
function reaches(path: string, target: string, root: string, seen: Set<string>): boolean {
  if (path === target) return true;
  if (seen.has(path) || !existsSync(join(root, path))) return false;
  seen.add(path);
  return readImports(readFileSync(join(root, path), "utf8"))
    .filter(({ specifier }) => specifier.startsWith("."))
    .some(({ specifier }) =>
      reaches(posix.join(posix.dirname(path), specifier), target, root, seen)
    );
}
