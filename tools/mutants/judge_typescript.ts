import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestFile } from "../testing/test_files.ts";
import { bundleTests } from "./bundle_tests.mjs";
import { type Coverage, planCoverage, readCoverage } from "./coverage.ts";
import { instrument, type Instrumented } from "./instrument.ts";
import { judgeAll, type Surroundings } from "./judge_all.ts";
import type { Judgement } from "./kept_results.ts";
import type { Mutant } from "./mutant.ts";
import type { MutantTask } from "./mutant_judge.ts";
import type { Result } from "./report.ts";
import { testsOfKind } from "./rooms.ts";
import type { Source } from "./source.ts";
import { makeWorkspace } from "./workspace.ts";

const SWITCH = { NODE_OPTIONS: `--import ${new URL("switch_mutants.mjs", import.meta.url).href}` };
/** A mutant that is reached so many times as often as its source has made an endless loop. */
const TIMES_AS_OFTEN = 100;

/**
 * Judges the mutants of TypeScript files: StrykerJS finds them and puts a switch for each into a copy of the
 * sources, so that a process can judge one after the other. Only tests that reach a mutant are run.
 *
 * @returns the results, and all mutants of the files, asked for or not
 */
export async function judgeTypeScript(
  sources: readonly Source[],
  surroundings: Surroundings,
): Promise<{ results: Result[]; mutants: Mutant[] }> {
  const results: Result[] = [];
  const waiting = new Map<Mutant, { source: Source; id: string }>();
  const instrumented = sources.length === 0 ? [] : await instrument(sources);
  for (const [n, source] of sources.entries()) {
    for (const [mutant, id] of instrumented[n]!.mutants) {
      if (!source.wants(mutant)) continue;
      const judgement = source.settled(mutant);
      if (judgement === undefined) waiting.set(mutant, { source, id });
      else results.push({ room: source.room.name, mutant, judgement });
    }
  }
  const mutants = instrumented.flatMap((file) => [...file.mutants.keys()]);
  if (waiting.size === 0) return { results, mutants };
  surroundings.progress.say(
    `${waiting.size} mutants of TypeScript; first the tests run twice without one`,
  );
  await judgeInWorkspace(instrumented, waiting, (mutant, judgement) => {
    const { source } = waiting.get(mutant)!;
    source.keep(mutant, judgement);
    results.push({ room: source.room.name, mutant, judgement });
  }, surroundings);
  return { results, mutants };
}

async function judgeInWorkspace(
  instrumented: readonly Instrumented[],
  waiting: ReadonlyMap<Mutant, { source: Source; id: string }>,
  done: (mutant: Mutant, judgement: Judgement) => void,
  surroundings: Surroundings,
): Promise<void> {
  const workspace = await makeWorkspace();
  const files = new Set([...waiting.keys()].map(({ file }) => file));
  for (const { file, text } of instrumented) if (files.has(file)) workspace.write(file, text);
  const folder = join(workspace.folder, ".coverage");
  mkdirSync(folder);
  const tests = new Map<string, TestFile>();
  for (const { source } of waiting.values()) {
    for (const test of testsOf(source)) tests.set(test.path, test);
  }
  try {
    const root = workspace.folder;
    await judgeAll(
      [...waiting.keys()].map((mutant) => taskOf(mutant, [], {}, false)),
      ({ mutant }, judgement) => done(mutant, judgement),
      surroundings,
      {
        copy: { root, bundles: await bundleTests(root, [...tests.keys()]) },
        runs: planCoverage([...tests.values()]),
        environment: { ...SWITCH, MUTANT_COVERAGE: folder },
        measured: () => {
          const coverage = readCoverage(folder, [...tests.values()]);
          return [...waiting].flatMap(([mutant, { source, id }]) => {
            const task = coveredTask(mutant, id, testsOf(source), coverage);
            if (task.tests.length === 0) done(mutant, { outcome: "lives" });
            return task.tests.length === 0 ? [] : [task];
          });
        },
      },
    );
  } finally {
    workspace.remove();
  }
}

const testsOf = ({ tests }: Source) => testsOfKind(tests, "typescript");

/** Makes the task of a mutant, with only those tests that reach it. */
function coveredTask(
  mutant: Mutant,
  id: string,
  tests: readonly TestFile[],
  { reaching, isReached, hits }: Coverage,
): MutantTask {
  const belong = new Set(tests.map(({ path }) => path));
  const warm = reaching(id).filter(({ path }) => belong.has(path));
  // What is executed once was reached by the first test alone, maybe of another room, but others may see it.
  const isAlone = warm.length === 0 && isReached(id);
  const environment = Object.fromEntries(
    tests.map((test) => [test.path, `${id} ${TIMES_AS_OFTEN * Math.max(1, hits(id, test))}`]),
  );
  return taskOf(mutant, isAlone ? tests : warm, environment, isAlone);
}

function taskOf(
  mutant: Mutant,
  tests: readonly TestFile[],
  switches: Readonly<Record<string, string>>,
  isAlone: boolean,
): MutantTask {
  return {
    mutant,
    tests,
    isAlone,
    environment: () => SWITCH,
    environmentOf: ({ path }) => ({ MUTANT: `${switches[path]!} ${path}` }),
    apply: async () => true,
    async undo() {},
  };
}
