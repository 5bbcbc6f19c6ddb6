import type { TestFile } from "./list_tests.ts";

/** Where a test file runs: a runtime, and a database when it needs one. */
export interface Leg {
  runtime: "Node" | "Deno";
  database?: "PGlite" | "PostgreSQL";
}

/** What one process does: a file on a leg, or several plain ones. */
export interface Job {
  files: TestFile[];
  leg: Leg;
}

/** `Node`, `Deno · PostgreSQL`. */
export function legName({ runtime, database }: Leg): string {
  return database === undefined ? runtime : `${runtime} · ${database}`;
}

const RUNTIMES = ["Node", "Deno"] as const;

/** All legs that a file has to pass. */
export function legsOf({ kind }: TestFile): Leg[] {
  const databases: Leg["database"][] = kind === "plain"
    ? [undefined]
    : kind === "database"
    ? ["PGlite", "PostgreSQL"]
    : ["PostgreSQL"];
  // A fault run takes minutes, and what it kills are the servers and databases, not the test's runtime;
  // a script for k6 runs in k6, whoever starts it.
  if (kind === "fault" || kind === "k6") return [{ runtime: "Node", database: "PostgreSQL" }];
  return databases.flatMap((database) => RUNTIMES.map((runtime) => ({ runtime, database })));
}
