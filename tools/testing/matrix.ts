import type { TestFile } from "./list_tests.ts";

/** Where a test file runs: a runtime, and a database when it needs one. */
export interface Combination {
  runtime: "Node" | "Deno";
  database?: "PGlite" | "PostgreSQL";
}

/**
 * What `npm test` runs on Deno as well, with the embedded database: what partners run there, and the data
 * folder. `tools/sandbox_permissions_test.ts` starts the sandbox on Deno by itself and walks through it.
 */
export const ON_DENO = [
  "packages/canonical",
  "packages/client",
  "packages/jws",
  "packages/operator/data_folder_test.ts",
  "packages/protocol",
];

/** What `npm test` runs on Node with the embedded database as well; the gate runs more on Deno. */
export const EMBEDDED = [
  "packages/service/ledger/ledger_test.ts",
  "packages/service/trading/trading_test.ts",
];

const RUNTIMES = ["Node", "Deno"] as const;
const DATABASES = ["PGlite", "PostgreSQL"] as const;

/** `Node`, `Deno · PostgreSQL`. */
export function combinationName({ runtime, database }: Combination): string {
  return database === undefined ? runtime : `${runtime} · ${database}`;
}

/** What is asked for: one runtime or one database, or all combinations. */
export interface MatrixChoice extends Partial<Combination> {
  all?: boolean;
}

/**
 * The combinations on which a file runs: on Node with PostgreSQL, and where the lists above name it
 * besides; all that it can run on and that are chosen, once something is chosen.
 */
export function matrixOf({ path, kind }: TestFile, choice: MatrixChoice = {}): Combination[] {
  const isChosen = choice.all || choice.runtime || choice.database;
  return possible(kind).filter(({ runtime, database }) =>
    isChosen
      ? (choice.runtime ?? runtime) === runtime &&
        (database === undefined || (choice.database ?? database) === database)
      : runtime === "Deno"
      ? isBelow(path, ON_DENO) && database !== "PostgreSQL"
      : database !== "PGlite" || isBelow(path, EMBEDDED)
  );
}

function possible(kind: TestFile["kind"]): Combination[] {
  if (kind === "plain") return RUNTIMES.map((runtime) => ({ runtime }));
  // What a fault strikes are servers and databases, not the test's own runtime.
  if (kind === "fault") return [{ runtime: "Node", database: "PostgreSQL" }];
  const databases = kind === "database" ? DATABASES : ["PostgreSQL"] as const;
  return databases.flatMap((database) => RUNTIMES.map((runtime) => ({ runtime, database })));
}

function isBelow(path: string, rows: readonly string[]): boolean {
  return rows.some((row) => path === row || path.startsWith(`${row}/`));
}
