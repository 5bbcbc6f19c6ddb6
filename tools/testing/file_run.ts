import { recordFolder } from "../../test/secret_search/search_run.ts";
import type { TestFile } from "./list_tests.ts";
import { type Combination, combinationName } from "./matrix.ts";
import type { TestResult } from "./read_results.ts";

/** A test file on one of its combinations. */
export interface PlannedRun {
  file: TestFile;
  on: Combination;
}

/** A test file that has run. */
export interface FileRun extends PlannedRun {
  results: TestResult[];
  /** How long it took, or its share where files ran in one process of Deno. */
  seconds: number;
  /** The time of processors in it and in what it started, PostgreSQL's apart; of Deno it is not known. */
  processorSeconds?: number;
}

/** How test files are run. */
export interface RunSettings {
  deno: string;
  node: string;
  /** The PostgreSQL for the combinations that have it. */
  databaseUrl?: string | undefined;
  /** Where reports and records of logs and secrets are written. */
  folder: string;
  /** How long a file may take. */
  timeoutSeconds: number;
  /** Whether each file has a process of Node of its own. */
  apart?: boolean;
  /** Runs only the tests whose names contain it; a file may then have none. */
  name?: string | undefined;
  /** Whether tests have the sizes that the catalogue of faults asks for. */
  long?: boolean;
  /** Ends the run, and all that it has started. */
  signal?: AbortSignal;
}

/** `packages/jws/openssl_test.ts [Node]` */
export function nameOf({ file, on }: PlannedRun): string {
  return `${file.path} [${combinationName(on)}]`;
}

/** The environment variables that a file has for itself; null: it has none of that name. */
export function environmentOf(
  run: PlannedRun,
  { folder, databaseUrl }: RunSettings,
): Record<string, string | null> {
  const { database } = run.on;
  return {
    SABIKA_TEST_RECORD: recordFolder(folder, nameOf(run)),
    SABIKA_TEST_DATABASE: database?.toLowerCase() ?? null,
    TEST_DATABASE_URL: (database === "PostgreSQL" && databaseUrl) || null,
  };
}

/** Its results, without those that only say that a test has another name than the one that is asked for. */
export function withoutOtherNames(
  results: readonly TestResult[],
  name: string | undefined,
): TestResult[] {
  return results.filter((result) =>
    name === undefined || result.outcome !== "skipped" || result.name.includes(name)
  );
}

/** A regular expression that matches exactly this text. */
export function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
