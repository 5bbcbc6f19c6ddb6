import { openRunRecord, recordFolder } from "../../test/secret_search/search_run.ts";
import { type Combination, combinationName, type TestFile } from "./test_files.ts";

/** A test file on one of its combinations. */
export interface PlannedRun {
  file: TestFile;
  on: Combination;
  /** Further variables, on Node; null removes one. */
  environment?: Readonly<Record<string, string | null>>;
  /** Its time limit, if it has one of its own. */
  timeoutSeconds?: number;
  /** The path of its bundle, which is run instead of the file. */
  bundle?: string | undefined;
}

/** The result of a test. Only leaves count: a suite is not a test. */
export interface TestResult {
  /** The names from the outermost suite to the test, joined by ` > `. */
  name: string;
  outcome: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped, if that is known. */
  error?: string;
  /** Its diagnostics; those of a suite are its last test's. Deno reports none. */
  notes?: string[];
}

/** A test file that has run. */
export interface FileRun extends PlannedRun {
  results: TestResult[];
  seconds: number;
  /** Processor time of the file and its child processes, without PostgreSQL's; undefined on Deno. */
  processorSeconds?: number;
}

/** How test files are run. */
export interface RunSettings {
  /** The runtimes' programs. */
  deno: string;
  node: string;
  /** The URL of PostgreSQL, for the combinations that use it. */
  databaseUrl?: string | undefined;
  /** The folder for reports, and for records of logs and secrets. */
  folder: string;
  /** The folder of a copy of the repository, if the files are not those of the repository itself. */
  root?: string | undefined;
  /** Whether all files are bundles, which need no compiler. */
  isBundled?: boolean;
  /** The time limit of a file. */
  timeoutSeconds: number;
  /** Whether each file runs in a separate process of Node. */
  apart?: boolean;
  /** Whether the process is ended at this file's first failure; then it is ended at once after its last file, too. */
  bail?: (file: TestFile) => boolean;
  /** Runs only the tests whose names contain this text; a file may then have none. */
  name?: string | undefined;
  /** Variables for all test processes. */
  environment?: Readonly<Record<string, string>>;
}

/** Formats a run as `packages/jws/openssl_test.ts [Node]`. */
export function nameOf({ file, on }: PlannedRun): string {
  return `${file.path} [${combinationName(on)}]`;
}

/** Environment variables only for a file's run; null removes a variable. */
export function environmentOf(
  run: PlannedRun,
  { folder, databaseUrl }: RunSettings,
): Record<string, string | null> {
  const { database } = run.on;
  return {
    SABIKA_TEST_RECORD: recordFolder(folder, nameOf(run)),
    SABIKA_TEST_DATABASE: database?.toLowerCase() ?? null,
    TEST_DATABASE_URL: (database === "PostgreSQL" && databaseUrl) || null,
    ...run.environment,
  };
}

/**
 * Returns the results that count: without tests that were skipped because of their name. A file without
 * tests has failed.
 *
 * @param trouble a failure outside of its tests
 * @param output the output of its process, which is kept for the search for secrets
 */
export function judgeFile(
  run: PlannedRun,
  all: readonly TestResult[],
  { folder, name }: RunSettings,
  { output, trouble }: { output: string; trouble: string | undefined },
): TestResult[] {
  openRunRecord(folder, nameOf(run)).log("output", output);
  const results = all.filter((result) =>
    name === undefined || result.outcome !== "skipped" || result.name.includes(name)
  );
  const isEmpty = results.length === 0 && name === undefined;
  const reason = trouble ?? (isEmpty ? "it has no test" : undefined);
  return reason === undefined ? results : [...results, fileFailure(reason, output)];
}

/** Makes the failure of a file itself, with the last lines of its process's output. */
export function fileFailure(reason: string, output: string): TestResult {
  const tail = output.trimEnd().split("\n").slice(-20).join("\n");
  return { name: "(the file itself)", outcome: "failed", error: `${reason}\n${tail}` };
}

/** Returns a regular expression that matches exactly this text. */
export function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
