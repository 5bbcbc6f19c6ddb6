import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";
import { judgeAll, type Surroundings } from "./judge_all.ts";
import { type Mutant, withChange } from "./mutant.ts";
import type { MutantTask } from "./mutant_judge.ts";
import { mutateSql } from "./mutate_sql.ts";
import type { Result } from "./report.ts";
import { testsOfKind } from "./rooms.ts";
import type { Source } from "./source.ts";

const SWAP_FILE = new URL("swap_file.mjs", import.meta.url).href;

/**
 * Judges the mutants of SQL files.
 *
 * @returns the results, and all mutants of the files, asked for or not
 */
export async function judgeSql(
  sources: readonly Source[],
  surroundings: Surroundings,
): Promise<{ results: Result[]; mutants: Mutant[] }> {
  const results: Result[] = [];
  const waiting = new Map<MutantTask, Source>();
  const mutants = sources.flatMap((source) => {
    const all = mutateSql(source.file, source.text);
    for (const mutant of all.filter(source.wants)) {
      const judgement = source.settled(mutant);
      if (judgement !== undefined) results.push({ room: source.room.name, mutant, judgement });
      else waiting.set(taskOf(source, mutant), source);
    }
    return all;
  });
  if (waiting.size > 0) {
    surroundings.progress.say(`${waiting.size} mutants of SQL; first the tests run without one`);
  }
  await judgeAll([...waiting.keys()], (task, judgement) => {
    const source = waiting.get(task)!;
    source.keep(task.mutant, judgement);
    results.push({ room: source.room.name, mutant: task.mutant, judgement });
  }, surroundings);
  return { results, mutants };
}

function taskOf(source: Source, mutant: Mutant): MutantTask {
  const { file, text } = source;
  const mutated = withChange(text, mutant);
  const common = {
    mutant,
    tests: testsOfKind(source.tests, mutant.kind),
    environmentOf: () => ({}),
  };
  if (isFunction(file)) {
    return {
      ...common,
      isAlone: false,
      environment: () => ({}),
      apply: ({ execute }) => execute(mutated),
      undo: async ({ execute }) => void await execute(text),
    };
  }
  const fileIn = (folder: string) => join(folder, "mutant.sql");
  return {
    ...common,
    isAlone: true,
    // Makes the process read the mutant instead of the file.
    environment: ({ folder }) => ({
      NODE_OPTIONS: `--import ${SWAP_FILE}`,
      MUTANT_FILE: join(ROOT, file),
      MUTANT_TEXT: fileIn(folder),
    }),
    async apply({ folder }) {
      writeFileSync(fileIn(folder), mutated);
      return true;
    },
    async undo() {},
  };
}

/** Whether a file makes functions, which are in the template; others are read when they are used. */
function isFunction(file: string): boolean {
  return /^packages\/service\/\w+\/\w+\.sql$/.test(file);
}
