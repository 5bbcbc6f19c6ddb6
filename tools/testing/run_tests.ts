import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { judgeSearch, openRunRecord, searchRun } from "../../test/secret_search/search_run.ts";
import { atEnd } from "../programs/at_end.ts";
import { type FileRun, nameOf, type PlannedRun, type RunSettings } from "./file_run.ts";
import { type TestOptions, UsageError } from "./options.ts";
import type { Programs } from "./have_programs.ts";
import { closingLine, countResults, reportLines } from "./report.ts";
import { runOnDeno } from "./run_on_deno.ts";
import { runOnNode } from "./run_on_node.ts";
import { listTests, matrixOf, type TestFile } from "./test_files.ts";
import { machineLoad, processorSeconds } from "./test_process.ts";

/** The time limit of a file; one that takes longer hangs and is ended. */
const LONGEST_SECONDS = { tests: 300, faults: 480, long: 7_200 };
/** The order in which files run: slow kinds first, so that no process is left alone with one at the end. */
const PLACE = { fault: 0, envoy: 0, postgresql: 1, database: 1, plain: 2 };

/** The surroundings of a run, which `main` provides. */
export interface Surroundings {
  /** The runtimes' programs. */
  deno: string;
  node: string;
  programs: Programs;
  /** Aborted when the run is interrupted; this process ends once all processes that it started have. */
  interrupted: AbortSignal;
  tell: (line: string) => void;
}

/**
 * Plans which files run on which runtimes and databases.
 *
 * @throws {UsageError} if there is nothing to run: a run without tests must not pass
 */
export function planRuns(options: TestOptions): PlannedRun[] {
  const { paths, runtime, database, faults, fuzz, long } = options;
  let files: TestFile[];
  try {
    files = listTests(paths);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  files = files.filter(({ path, kind, sized }) =>
    long ? sized : fuzz ? path.endsWith("_fuzz_test.ts") : (kind === "fault") === faults
  );
  if (files.length === 0) {
    throw new UsageError(`no ${faults ? "fault " : fuzz ? "fuzz " : ""}test is among them`);
  }
  // Only one combination, because such a file may run for two hours.
  const where = long || fuzz ? { runtime: "Node", database: "PostgreSQL" } as const : options;
  const runs = files.flatMap((file) => matrixOf(file, where).map((on) => ({ file, on })));
  if (runs.length === 0) {
    const wanted = [runtime, database].filter((part) => part !== undefined).join(" · ");
    throw new UsageError(`no test among them runs on ${wanted}`);
  }
  // From the end of the alphabet: files of tools and sandbox start programs, those of canonical take nothing.
  return runs.reverse().sort((a, b) => PLACE[a.file.kind] - PLACE[b.file.kind]);
}

/**
 * Runs the planned test files, searches the logs for the secrets that were used, and prints a report.
 *
 * @returns whether nothing failed
 */
export async function runTests(
  planned: readonly PlannedRun[],
  options: TestOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  const { deno, node, programs, tell } = surroundings;
  const { name, faults, fuzz, long, environment } = options;
  const folder = mkdtempSync(join(tmpdir(), "sabika-test-run-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const takeBack = atEnd(remove);
  try {
    const [startedMs, processor] = [performance.now(), processorSeconds("self")];
    const runs = await runAll(planned, {
      deno,
      node,
      folder,
      name,
      environment,
      databaseUrl: programs.databaseUrl,
      timeoutSeconds: LONGEST_SECONDS[long || fuzz ? "long" : faults ? "faults" : "tests"],
      apart: faults || fuzz,
    }, { ...surroundings, oneByOne: faults });
    const databaseRecord = openRunRecord(folder, "the run's PostgreSQL");
    databaseRecord.log("postgresql.log", await programs.databaseLog());
    databaseRecord.secretsIn(programs.databaseUrl);
    for (const line of reportLines(runs, options)) tell(line);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    const used = (processorSeconds("self") - processor).toFixed(0);
    tell(`in ${seconds} s, ${used} s of processor time beside PostgreSQL's; ${machineLoad()}`);
    const isWhole = options.paths.length === 0 && !fuzz &&
      (name ?? options.runtime ?? options.database) === undefined;
    const secretSearch = judgeSearch(searchRun(folder), isWhole);
    for (const line of secretSearch.lines) tell(line);
    const totals = countResults(runs);
    totals.failed += secretSearch.failures;
    if (name !== undefined && totals.passed + totals.failed + totals.skipped === 0) {
      tell(`FAILED: no test is called ${JSON.stringify(name)}`);
      totals.failed += 1;
    }
    tell(closingLine(totals));
    return totals.failed === 0;
  } finally {
    takeBack();
    remove();
  }
}

async function runAll(
  planned: readonly PlannedRun[],
  settings: RunSettings,
  { programs, interrupted, tell, oneByOne }: Surroundings & { oneByOne: boolean },
): Promise<FileRun[]> {
  const runs: FileRun[] = [];
  const done = (run: FileRun) => {
    runs.push(run);
    if (interrupted.aborted) return;
    if (process.stdout.isTTY) process.stdout.write(`\r${runs.length} of ${planned.length} `);
    else if (settings.apart) tell(`${run.file.path}: ${run.seconds.toFixed(0)} s`);
    if (run.results.some(({ outcome }) => outcome === "failed")) tell(`failed: ${nameOf(run)}`);
  };
  const [onNode, onDeno]: [PlannedRun[], PlannedRun[]] = [[], []];
  for (const run of planned) {
    const left = programs.missingFor(run);
    if (left !== undefined) done({ ...run, results: [left], seconds: 0 });
    else (run.on.runtime === "Node" ? onNode : onDeno).push(run);
  }
  const take = (waiting: PlannedRun[]) => {
    if (interrupted.aborted) waiting.length = 0;
    return waiting.shift();
  };
  // Fault tests run one at a time, so that they do not disturb each other. Of the others one more runs than
  // there are processors, because some wait for timers.
  const workers = oneByOne ? 1 : Number(process.env.SABIKA_TEST_JOBS) || availableParallelism() + 1;
  await Promise.all(Array.from({ length: workers }, async () => {
    for (let run = take(onDeno); run !== undefined; run = take(onDeno)) {
      done(await runOnDeno(run, settings));
    }
    while (onNode.length > 0) await runOnNode(() => take(onNode), done, settings);
  }));
  // This process is about to end, so nothing is reported.
  if (interrupted.aborted) await new Promise<never>(() => {});
  return runs;
}
