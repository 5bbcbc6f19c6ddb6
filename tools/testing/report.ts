import { type Combination, combinationName } from "./matrix.ts";
import { type FileRun, nameOf } from "./file_run.ts";

const SLOW_FILES = 8;

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

/** A file that did not run on a combination, and why. */
export interface Omission {
  path: string;
  on: Combination;
  missing: string;
}

export function countResults(runs: readonly FileRun[]): Totals {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of runs.flatMap((run) => run.results)) totals[outcome]++;
  return totals;
}

/** The last line of each run, for people and for machines. */
export function closingLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** A line for each combination: how many tests of how many files ran there. */
export function matrixLines(runs: readonly FileRun[], versions: Record<string, string>): string[] {
  const matrix = new Map<string, FileRun[]>();
  for (const run of runs) {
    const name = combinationName(run.on);
    matrix.set(name, [...matrix.get(name) ?? [], run]);
  }
  return [...matrix].sort(([a], [b]) => a.localeCompare(b)).map(([name, group]) => {
    const { passed, failed, skipped } = countResults(group);
    const seconds = group.reduce((sum, run) => sum + run.seconds, 0).toFixed(0);
    const words = name.split(" · ").map((part) => versions[part] ?? part).join(" · ");
    const rest = `${failed ? `, ${failed} failed` : ""}${skipped ? `, ${skipped} skipped` : ""}`;
    return `${words}: ${passed} passed${rest}; ${group.length} files, ${seconds} s`;
  });
}

export function failureLines(runs: readonly FileRun[]): string[] {
  return runs.flatMap((run) =>
    run.results.filter((result) => result.outcome === "failed").flatMap((result) => [
      "",
      `FAILED ${nameOf(run)} ${result.name}`,
      ...indent(result.error ?? ""),
    ])
  );
}

/** What tests told of themselves, passed or not. */
export function noteLines(runs: readonly FileRun[]): string[] {
  return runs.flatMap((run) =>
    run.results.filter(({ notes }) => notes !== undefined).flatMap((result) => [
      `${nameOf(run)} ${result.name}`,
      ...indent(result.notes!.join("\n")),
    ])
  );
}

export function skipLines(runs: readonly FileRun[]): string[] {
  return runs.flatMap((run) =>
    run.results.filter((result) => result.outcome === "skipped")
      .map((result) => `skipped: ${nameOf(run)} ${result.name}`)
  );
}

/** What could not be had, with the number of runs of files that this cost. */
export function omissionLines(
  omissions: readonly Omission[],
  reasons: ReadonlyMap<string, string>,
): string[] {
  return [...reasons].map(([name, reason]) => {
    const cost = omissions.filter(({ missing }) => missing === name);
    return `no ${name} (${reason.split("\n")[0]}): ${cost.length} runs of test files left out`;
  });
}

/** The files that took longest, or with `all` every file. */
export function slowLines(runs: readonly FileRun[], all: boolean): string[] {
  const sorted = [...runs].sort((a, b) => timeOf(b) - timeOf(a));
  return sorted.slice(0, all ? undefined : SLOW_FILES).map((run) => {
    const { seconds, processorSeconds } = run;
    const processor = processorSeconds === undefined
      ? ""
      : ` (${processorSeconds.toFixed(1)} s of processor)`;
    return `slow: ${seconds.toFixed(1)} s${processor} ${nameOf(run)}`;
  });
}

function timeOf({ seconds, processorSeconds = seconds }: FileRun): number {
  return processorSeconds;
}

function indent(text: string): string[] {
  return text.trimEnd().split("\n").map((line) => `  ${line}`);
}
