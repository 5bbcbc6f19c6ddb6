import type { PlannedRun } from "../testing/file_run.ts";
import type { Judgement } from "./kept_results.ts";
import {
  type MutantTask,
  plannedRun,
  startMutantJudge,
  type TestCopy,
  type TestRecords,
} from "./mutant_judge.ts";
import type { Progress } from "./progress.ts";

/** How mutants are judged. */
export interface Surroundings {
  /** How many are judged at the same time. */
  workers: number;
  /** Aborted when the run is interrupted. */
  interrupted: AbortSignal;
  progress: Progress;
}

/** What is done with tests before mutants are judged. */
export interface Preparation {
  /** The copy of the repository whose tests are run, if it is not the repository. */
  copy?: TestCopy;
  /** The runs that measure the tests' times; by default one of each test. */
  runs?: readonly PlannedRun[];
  /** Variables of the process that they run in. */
  environment?: Readonly<Record<string, string>>;
  /** Called after them. Returns the tasks that remain. */
  measured?(tasks: readonly MutantTask[]): readonly MutantTask[];
}

/**
 * Judges mutants, several at the same time, after their tests have run without one.
 *
 * @param done called with each judgement
 * @throws {TestFailure} if a test fails without a mutant
 */
export async function judgeAll(
  tasks: readonly MutantTask[],
  done: (task: MutantTask, judgement: Judgement) => void,
  { workers, interrupted, progress }: Surroundings,
  { copy, runs, environment, measured = (all) => all }: Preparation = {},
): Promise<void> {
  if (tasks.length === 0) return;
  const records: TestRecords = new Map();
  const first = await startMutantJudge(records, copy);
  const tests = new Map(tasks.flatMap((task) => task.tests.map((file) => [file.path, file])));
  await first.measure(runs ?? [...tests.values()].map(plannedRun), environment);
  const waiting = [...measured(tasks)];
  progress.expect(waiting.length);
  const take = () => interrupted.aborted ? undefined : waiting.shift();
  await Promise.all(Array.from({ length: Math.min(workers, tasks.length) }, async (_, n) => {
    const judge = n === 0 ? first : await startMutantJudge(records, copy);
    await judge.judge(take, (task, judgement) => {
      // What was interrupted has failed, too.
      if (interrupted.aborted) return;
      done(task, judgement);
      progress.judged(judgement.outcome !== "lives");
    });
    await judge.stop();
  }));
}
