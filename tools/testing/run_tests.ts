import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { judgeSearch, openRunRecord, searchRun } from "../../test/secret_search/search_run.ts";
import { runProgram } from "../programs/run_program.ts";
import { type FileRun, nameOf, type PlannedRun, type RunSettings } from "./file_run.ts";
import { missingFor, type Programs } from "./have_programs.ts";
import { listTests, type TestFile } from "./list_tests.ts";
import { matrixOf } from "./matrix.ts";
import { type TestOptions, UsageError } from "./options.ts";
import * as report from "./report.ts";
import { runOnDeno } from "./run_on_deno.ts";
import { runOnNode } from "./run_on_node.ts";
import { machineLoad, processorSeconds } from "./test_process.ts";

/** How many files without a database share a process of Deno, where each has modules of its own. */
const TOGETHER_ON_DENO = 10;
/** A file that runs longer is ended: something in it hangs. */
const LONGEST_SECONDS = { tests: 300, faults: 480, long: 7_200 };
/** What takes long comes first, so that it is not left for the end. */
const PLACE = { fault: 0, envoy: 0, postgresql: 1, database: 1, plain: 2 };

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
  const where = long ? { runtime: "Node", database: "PostgreSQL" } as const : { ...only, all };
  const runs = files.flatMap((file) => matrixOf(file, where).map((on) => ({ file, on })));
  if (runs.length === 0) {
    const wanted = [only.runtime, only.database].filter((part) => part !== undefined).join(" · ");
    throw new UsageError(`no test among them runs on ${wanted}`);
  }
  return runs.sort((a, b) => PLACE[a.file.kind] - PLACE[b.file.kind]);
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
    const started = { ms: performance.now(), processor: processorSeconds("self") };
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
    for (const line of report.slowLines(runs, options.times)) tell(line);
    for (const line of report.matrixLines(runs, await versionsOf(runs, surroundings))) tell(line);
    const seconds = (performance.now() - started.ms) / 1000;
    const processor = processorSeconds("self") - started.processor;
    const database = programs.databaseSeconds();
    tell(
      `in ${seconds.toFixed(0)} s, ${(processor + database).toFixed(0)} s of processor time ` +
        `(PostgreSQL ${database.toFixed(0)} s); ${machineLoad()}`,
    );
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
  const settings: RunSettings = {
    deno,
    node,
    folder,
    name,
    long,
    signal,
    databaseUrl: programs.databaseUrl,
    timeoutSeconds: LONGEST_SECONDS[long ? "long" : faults ? "faults" : "tests"],
    apart: faults,
  };
  const omissions: report.Omission[] = [];
  const ready = planned.filter(({ file, on }) => {
    const missing = missingFor(file, on.database, programs);
    if (missing !== undefined) omissions.push({ path: file.path, on, missing });
    return missing === undefined;
  });
  const runs: FileRun[] = [];
  const done = (run: FileRun) => {
    runs.push(run);
    if (signal.aborted) return;
    if (process.stdout.isTTY) process.stdout.write(`\r${runs.length} of ${planned.length} `);
    else if (faults) tell(`${run.file.path}: ${run.seconds.toFixed(0)} s`);
    if (run.results.some(({ outcome }) => outcome === "failed")) tell(`failed: ${nameOf(run)}`);
  };
  const onNode = ready.filter(({ on }) => on.runtime === "Node");
  const onDeno = groupsForDeno(ready.filter(({ on }) => on.runtime === "Deno"));
  // Faults measure and kill: one at a time, so that they do not disturb one another. Of the others one
  // more than there are processors: some wait for what happens after seconds.
  const workers = faults ? 1 : Number(process.env.SABIKA_TEST_JOBS) || availableParallelism() + 1;
  await Promise.all(Array.from({ length: workers }, async () => {
    for (let group; !signal.aborted && (group = onDeno.shift()) !== undefined;) {
      for (const run of await runOnDeno(group, settings)) done(run);
    }
    while (!signal.aborted && onNode.length > 0) {
      await runOnNode(() => onNode.shift(), done, settings);
    }
  }));
  return { runs, omissions };
}

/** Which files share a process of Deno: those without a database; each other one is long enough. */
function groupsForDeno(runs: readonly PlannedRun[]): PlannedRun[][] {
  const plain = runs.filter(({ file }) => file.kind === "plain");
  const groups = Array.from(
    { length: Math.ceil(plain.length / TOGETHER_ON_DENO) },
    (_, index) => plain.slice(index * TOGETHER_ON_DENO, (index + 1) * TOGETHER_ON_DENO),
  );
  return [...runs.filter(({ file }) => file.kind !== "plain").map((run) => [run]), ...groups];
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
