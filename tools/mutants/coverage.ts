import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PlannedRun } from "../testing/file_run.ts";
import type { TestFile } from "../testing/test_files.ts";
import { plannedRun } from "./mutant_judge.ts";

/** How often each run of a test file reached each mutant, by its number. */
type Hits = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Which tests reach mutants. */
export interface Coverage {
  /** The tests that reach a mutant whenever they run. */
  reaching(id: string): TestFile[];
  /** Whether a test reached a mutant at all: if only by its first run, what it changes is executed once. */
  isReached(id: string): boolean;
  /** How often a test reached a mutant. */
  hits(id: string, test: TestFile): number;
}

const RUNS = [1, 2] as const;
const nameOf = (path: string, run: number) => `${path}#${run}`;

/**
 * Plans two runs of each test in the same process: what is reached only by the first is executed when modules
 * are loaded, or once.
 */
export function planCoverage(tests: readonly TestFile[]): PlannedRun[] {
  return tests.flatMap((file) =>
    RUNS.map((run) => ({
      ...plannedRun(file),
      environment: { MUTANT_RUN: nameOf(file.path, run) },
    }))
  );
}

/** Reads what the processes of planned runs have left in a folder (`switch_mutants.mjs`). */
export function readCoverage(folder: string, tests: readonly TestFile[]): Coverage {
  const hits = new Map<string, Map<string, number>>();
  for (const name of readdirSync(folder)) {
    const runs: Record<string, Record<string, number>> = JSON.parse(
      readFileSync(join(folder, name), "utf8"),
    );
    for (const [run, counts] of Object.entries(runs)) {
      const all = hits.get(run) ?? new Map<string, number>();
      hits.set(run, all);
      for (const [id, count] of Object.entries(counts)) all.set(id, (all.get(id) ?? 0) + count);
    }
  }
  return coverageOf(hits, tests);
}

function coverageOf(hits: Hits, tests: readonly TestFile[]): Coverage {
  const of = (id: string, { path }: TestFile, run: number) =>
    hits.get(nameOf(path, run))?.get(id) ?? 0;
  return {
    reaching: (id) => tests.filter((test) => of(id, test, 2) > 0),
    isReached: (id) => tests.some((test) => of(id, test, 1) > 0),
    hits: (id, test) => Math.max(...RUNS.map((run) => of(id, test, run))),
  };
}
