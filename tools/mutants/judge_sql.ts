import type { Mutant } from "./mutant.ts";
import { mutateSql } from "./mutate_sql.ts";
import type { Progress } from "./progress.ts";
import type { Result } from "./report.ts";
import { testsOfKind } from "./rooms.ts";
import type { Source } from "./source.ts";
import { type SqlTask, startSqlJudge, type TestRecords } from "./sql_judge.ts";

/** How mutants are judged. */
export interface Surroundings {
  /** How many are judged at the same time. */
  workers: number;
  /** Aborted when the run is interrupted. */
  interrupted: AbortSignal;
  progress: Progress;
}

/**
 * Judges the mutants of SQL files.
 *
 * @returns the results, and all mutants of the files, asked for or not
 */
export async function judgeSql(
  sources: readonly Source[],
  { workers, interrupted, progress }: Surroundings,
): Promise<{ results: Result[]; mutants: Mutant[] }> {
  const results: Result[] = [];
  const waiting: (SqlTask & { source: Source })[] = [];
  const mutants = sources.flatMap((source) => {
    const all = mutateSql(source.file, source.text);
    for (const mutant of all.filter(source.wants)) {
      const judgement = source.settled(mutant);
      if (judgement !== undefined) results.push({ room: source.room.name, mutant, judgement });
      else {
        const tests = testsOfKind(source.tests, mutant.kind);
        waiting.push({ source, mutant, text: source.text, tests });
      }
    }
    return all;
  });
  if (waiting.length === 0) return { results, mutants };
  progress.expect(waiting.length);
  progress.say(`${waiting.length} mutants of SQL; first the tests run without one`);

  const sourceOf = new Map(waiting.map(({ mutant, source }) => [mutant, source]));
  const done = (mutant: Mutant, judgement: Result["judgement"]) => {
    // What was interrupted has failed, too.
    if (interrupted.aborted) return;
    const source = sourceOf.get(mutant)!;
    source.keep(mutant, judgement);
    results.push({ room: source.room.name, mutant, judgement });
    progress.judged(judgement.outcome !== "lives");
  };
  const records: TestRecords = new Map();
  const first = await startSqlJudge(records);
  const tests = new Map(
    waiting.flatMap((task) => task.tests.map((file) => [file.path, file] as const)),
  );
  await first.measure([...tests.values()]);
  const take = () => interrupted.aborted ? undefined : waiting.shift();
  await Promise.all(Array.from({ length: Math.min(workers, waiting.length) }, async (_, n) => {
    const judge = n === 0 ? first : await startSqlJudge(records);
    await judge.judge(take, done);
    await judge.stop();
  }));
  return { results, mutants };
}
