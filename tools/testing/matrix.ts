import type { TestFile } from "./list_tests.ts";

/** Where a test file runs: a runtime, and a database when it needs one. */
export interface Combination {
  runtime: "Node" | "Deno";
  database?: "PGlite" | "PostgreSQL";
}

/** What one process does: a file on a combination, or several plain ones. */
export interface Job {
  files: TestFile[];
  on: Combination;
}

/** `Node`, `Deno · PostgreSQL`. */
export function combinationName({ runtime, database }: Combination): string {
  return database === undefined ? runtime : `${runtime} · ${database}`;
}

const RUNTIMES = ["Node", "Deno"] as const;

/** Both runtimes and both databases in half of the combinations. */
const DIAGONAL: readonly Combination[] = [
  { runtime: "Node", database: "PostgreSQL" },
  { runtime: "Deno", database: "PGlite" },
];

/**
 * The combinations that a file has to pass. One that uses a database runs in two of the four, so that
 * it meets each runtime and each database, unless all are asked for or one runtime or database is.
 *
 * @param only keeps one runtime, one database; a file without a database runs whichever is named
 */
export function matrixOf(
  { kind }: TestFile,
  only: Partial<Combination> = {},
  all = false,
): Combination[] {
  if (kind === "database" && !all && !only.runtime && !only.database) return [...DIAGONAL];
  return wholeMatrix(kind).filter(({ runtime, database }) =>
    (only.runtime ?? runtime) === runtime &&
    (database === undefined || (only.database ?? database) === database)
  );
}

function wholeMatrix(kind: TestFile["kind"]): Combination[] {
  const databases: Combination["database"][] = kind === "plain"
    ? [undefined]
    : kind === "database"
    ? ["PGlite", "PostgreSQL"]
    : ["PostgreSQL"];
  // A fault run takes minutes, and what it kills are the servers and databases, not the test's runtime;
  // a script for k6 runs in k6, whoever starts it.
  if (kind === "fault" || kind === "k6") return [{ runtime: "Node", database: "PostgreSQL" }];
  return databases.flatMap((database) => RUNTIMES.map((runtime) => ({ runtime, database })));
}
