import { type FileRun, nameOf, type TestResult } from "./file_run.ts";
import { combinationName } from "./test_files.ts";

const SLOW_FILES = 8;

/** How many tests passed, failed and were skipped. */
export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

/** Counts the results of all tests of these runs by their outcome. */
export function countResults(runs: readonly FileRun[]): Totals {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of runs.flatMap((run) => run.results)) totals[outcome]++;
  return totals;
}

/** Formats the last line of a run, which scripts read too. */
export function closingLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * Makes the lines of a run's report: failures with their reasons, diagnostics, skipped tests, the slowest
 * files, and a line for each combination.
 *
 * @param options.times whether the time of every file is reported
 */
export function reportLines(runs: readonly FileRun[], options: { times: boolean }): string[] {
  const results = runs.flatMap((run) =>
    run.results.map((result) => ({ ...result, title: `${nameOf(run)} ${result.name}` }))
  );
  const having = (outcome: TestResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome);
  const failed = having("failed");
  return [
    ...failed.flatMap(({ title, error = "" }) => ["", `FAILED ${title}`, ...indent(error)]),
    ...(failed.length > 0 ? [""] : []),
    ...results.flatMap(({ title, notes }) => notes ? [title, ...notes.flatMap(indent)] : []),
    ...having("skipped").map(({ title, error }) => `skipped: ${title}${error ? `: ${error}` : ""}`),
    ...slowLines(runs, options.times ? undefined : SLOW_FILES),
    ...matrixLines(runs),
  ];
}

function slowLines(runs: readonly FileRun[], most: number | undefined): string[] {
  const timeOf = ({ seconds, processorSeconds = seconds }: FileRun) => processorSeconds;
  return [...runs].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, most).map((run) => {
    const { seconds, processorSeconds } = run;
    const processor = processorSeconds === undefined
      ? ""
      : ` (${processorSeconds.toFixed(1)} s of processor)`;
    return `slow: ${seconds.toFixed(1)} s${processor} ${nameOf(run)}`;
  });
}

function matrixLines(runs: readonly FileRun[]): string[] {
  return [...new Set(runs.map(({ on }) => combinationName(on)))].sort().map((name) => {
    const group = runs.filter(({ on }) => combinationName(on) === name);
    const seconds = group.reduce((sum, run) => sum + run.seconds, 0).toFixed(0);
    return `${name}: ${closingLine(countResults(group))}; ${group.length} files, ${seconds} s`;
  });
}

function indent(text: string): string[] {
  return text.trimEnd().split("\n").map((line) => `  ${line}`);
}
