import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { judgeSearch, openRunRecord, searchRun } from "../../test/secret_search/search_run.ts";
import { runProgram } from "../programs/run_program.ts";
import { missingFor, type Programs } from "./have_programs.ts";
import { listTests, type TestFile } from "./list_tests.ts";
import { type Combination, combinationName, matrixOf } from "./matrix.ts";
import { type TestOptions, UsageError } from "./options.ts";
import { planJobs } from "./plan_jobs.ts";
import { queueJobs } from "./queue_jobs.ts";
import * as report from "./report.ts";
import { type FileRun, runJob } from "./run_job.ts";

const TOGETHER = 10;
/** A process that runs longer is ended: something in it hangs. */
const LONGEST_SECONDS = { tests: 300, faults: 480, long: 7_200 };

export interface PlannedRun {
  file: TestFile;
  on: Combination;
}

export interface Surroundings {
  deno: string;
  node: string;
  programs: Programs;
  /** Whether a program that is missing is a failure. */
  ci: boolean;
  /** Ends the run, and all that it has started. */
  signal: AbortSignal;
  tell: (line: string) => void;
}

/**
 * Which files run where.
 *
 * @throws {UsageError} when that is none: a run that finds nothing must not be green
 */
export function planRuns({ paths, only, all, faults, long }: TestOptions): PlannedRun[] {
  let files: TestFile[];
  try {
    files = listTests(paths)
      .filter((file) => long ? file.sized : (file.kind === "fault") === faults);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (files.length === 0) {
    throw new UsageError(`no ${faults ? "fault " : ""}test is among them`);
  }
  // The length is in what is done to servers and databases, whatever the test itself runs on.
  const where = long ? { runtime: "Node", database: "PostgreSQL" } as const : only;
  const runs = files.flatMap((file) => matrixOf(file, where, all).map((on) => ({ file, on })));
  if (runs.length === 0) {
    const wanted = [only.runtime, only.database].filter((part) => part !== undefined).join(" · ");
    throw new UsageError(`no test among them runs on ${wanted}`);
  }
  return runs;
}

/**
 * Runs the planned test files, searches all that was logged for the secrets that were used and reports.
 *
 * @returns whether nothing failed; undefined when the signal ended the run
 */
export async function runTests(
  planned: readonly PlannedRun[],
  options: TestOptions,
  surroundings: Surroundings,
): Promise<boolean | undefined> {
  const { programs, ci, signal, tell } = surroundings;
  const folder = mkdtempSync(join(tmpdir(), "sabika-test-run-"));
  try {
    const started = performance.now();
    const { runs, omissions } = await runAll(planned, folder, options, surroundings);
    if (signal.aborted) return undefined;
    const databaseRecord = openRunRecord(folder, "the run's PostgreSQL");
    databaseRecord.log("postgresql.log", await programs.databaseLog());
    databaseRecord.secretsIn(programs.databaseUrl);
    const isWhole = options.paths.length === 0 && options.name === undefined &&
      Object.values(options.only).every((only) => only === undefined);
    const secretSearch = judgeSearch(searchRun(folder), isWhole);
    for (const line of report.failureLines(runs)) tell(line);
    const totals = report.countResults(runs);
    if (totals.failed > 0) tell("");
    for (const line of report.noteLines(runs)) tell(line);
    for (const line of report.skipLines(runs)) tell(line);
    for (const line of report.slowLines(runs, 10)) tell(line);
    for (const line of report.matrixLines(runs, await versionsOf(runs, surroundings))) tell(line);
    tell(`in ${((performance.now() - started) / 1000).toFixed(0)} s`);
    for (const line of secretSearch.lines) tell(line);
    totals.failed += secretSearch.failures;
    for (const line of report.omissionLines(omissions, programs.missing)) {
      tell(ci ? `FAILED: ${line}` : line);
    }
    totals[ci ? "failed" : "skipped"] += omissions.length;
    if (options.name !== undefined && totals.passed + totals.failed + totals.skipped === 0) {
      tell(`FAILED: no test is called ${JSON.stringify(options.name)}`);
      totals.failed += 1;
    }
    tell(report.closingLine(totals));
    return totals.failed === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(
  planned: readonly PlannedRun[],
  folder: string,
  { faults, long, name }: TestOptions,
  { deno, node, programs, signal, tell }: Surroundings,
): Promise<{ runs: FileRun[]; omissions: report.Omission[] }> {
  const jobs = queueJobs(planJobs(planned, TOGETHER), programs.k6);
  const settings = {
    deno,
    node,
    databaseUrl: programs.databaseUrl,
    folder,
    timeoutSeconds: LONGEST_SECONDS[long ? "long" : faults ? "faults" : "tests"],
    ...{ name, long },
    signal,
  };
  const runs: FileRun[] = [];
  const omissions: report.Omission[] = [];
  // Faults measure and kill: one at a time, so that they do not disturb one another. Of the others one
  // more than there are processors: some wait for what happens after seconds.
  const workers = faults ? 1 : Number(process.env.SABIKA_TEST_JOBS) || availableParallelism() + 1;
  await Promise.all(Array.from({ length: workers }, async () => {
    for (let job; (job = await jobs.next()) !== undefined && !signal.aborted;) {
      const { files, on } = job;
      // What one process does needs the same programs.
      const missing = missingFor(files[0]!, on.database, programs);
      if (missing !== undefined) {
        omissions.push(...files.map(({ path }) => ({ path, on, missing })));
        continue;
      }
      const done = await runJob(job, settings);
      runs.push(...done);
      if (signal.aborted) return;
      if (process.stdout.isTTY) process.stdout.write(`\r${runs.length} of ${planned.length} `);
      else if (faults) {
        for (const run of done) tell(`${run.file.path}: ${run.seconds.toFixed(0)} s`);
      }
      for (const { file, on, results } of done) {
        if (results.some(({ outcome }) => outcome === "failed")) {
          tell(`failed: ${file.path} [${combinationName(on)}]`);
        }
      }
    }
  }));
  return { runs, omissions };
}

/** The versions of what the files ran on, by its name. */
async function versionsOf(
  runs: readonly FileRun[],
  { deno, node, programs }: Surroundings,
): Promise<Record<string, string>> {
  const programOf = { Node: node, Deno: deno };
  const used = [...new Set(runs.map(({ on }) => on.runtime))];
  const found = await Promise.all(used.map(async (runtime) => {
    const { stdout } = await runProgram(programOf[runtime], ["--version"]);
    return [runtime, `${runtime} ${/\d+\.\d+\.\d+/.exec(stdout)?.[0]}`];
  }));
  return { PostgreSQL: programs.databaseVersion ?? "PostgreSQL", ...Object.fromEntries(found) };
}
