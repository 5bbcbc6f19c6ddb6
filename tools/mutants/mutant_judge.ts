import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openDatabase } from "@sabika/database";
import { schemaHash } from "@sabika/service/schema";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { atEnd } from "../programs/at_end.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../programs/run_postgresql.ts";
import type { FileRun, PlannedRun, RunSettings } from "../testing/file_run.ts";
import { runOnNode } from "../testing/run_on_node.ts";
import type { TestFile } from "../testing/test_files.ts";
import type { Mutant } from "./mutant.ts";
import type { Judgement } from "./kept_results.ts";

/** The time limit of a test file: this, and what it takes without a mutant, with a busy machine in mind. */
const PATIENCE_SECONDS = 20;
const TIMES_AS_LONG = 6;
/** The time limit of a test file without a mutant, as of `npm test`. */
const LONGEST_SECONDS = 300;

/** After so many files a process has many copies of modules in memory. */
const FILES_IN_A_PROCESS = 60;
/**
 * A test file that takes longer than a process needs to start is ended at its first failure; of another the
 * process is used again.
 */
const START_SECONDS = 1.5;
const BUNDLE_START_SECONDS = 0.4;

/** A mutant to judge. */
export interface MutantTask {
  mutant: Mutant;
  /** The tests that are to find it. */
  tests: readonly TestFile[];
  /** Whether it needs a process of its own, because what it changes is read or executed once. */
  isAlone: boolean;
  /** Returns the variables of the process that it is judged in. */
  environment(place: Place): Readonly<Record<string, string>>;
  /** Returns variables for the run of a test file. */
  environmentOf(file: TestFile): Readonly<Record<string, string>>;
  /** Makes the change; false if it is no program. */
  apply(place: Place): Promise<boolean>;
  /** Takes the change back. */
  undo(place: Place): Promise<void>;
}

/** Where a judge keeps what its tests see. */
export interface Place {
  /** A folder of its own. */
  folder: string;
  /** Runs statements in the template that tests copy their databases from; false if PostgreSQL refuses them. */
  execute(statements: string): Promise<boolean>;
}

/** Thrown when a test fails without a mutant; its message is shown to the user. */
export class TestFailure extends Error {}

/** Runs tests against mutants, on a PostgreSQL of its own. */
export interface MutantJudge {
  /**
   * Runs tests without a mutant, and keeps their times.
   *
   * @throws {TestFailure} if one fails: nothing can be said of mutants then
   */
  measure(
    runs: readonly PlannedRun[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /**
   * Judges one mutant after the other: runs the tests, those first that found most in the least time,
   * until one fails.
   */
  judge(
    take: () => MutantTask | undefined,
    done: (task: MutantTask, judgement: Judgement) => void,
  ): Promise<void>;
  stop(): Promise<void>;
}

/** What is known of test files, by path; the judges of a run share it. */
export type TestRecords = Map<string, {
  seconds: number;
  /** How many mutants of a source it has found. */
  found: Map<string, number>;
}>;

/** A copy of the repository whose tests are run, with the paths of their bundles by those of the tests. */
export interface TestCopy {
  root: string;
  bundles: ReadonlyMap<string, string>;
}

/**
 * Starts a judge.
 *
 * @param copy whose tests are run; by default those of the repository
 */
export async function startMutantJudge(
  records: TestRecords,
  copy?: TestCopy,
): Promise<MutantJudge> {
  const startSeconds = copy ? BUNDLE_START_SECONDS : START_SECONDS;
  const server = await runPostgreSQL({ durable: false });
  const folder = mkdtempSync(join(tmpdir(), "sabika-mutants-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const takeBack = atEnd(remove);
  // Leaves the template behind, which every database of a test is a copy of.
  await (await openTestDatabase({ server: server.url })).close();
  const place = { folder, execute: executeIn(server, `sabika_template_${await schemaHash()}`) };
  const settings = (environment: Readonly<Record<string, string>>) => ({
    deno: "deno",
    node: process.execPath,
    root: copy?.root,
    isBundled: copy !== undefined,
    folder,
    databaseUrl: server.socketUrl,
    timeoutSeconds: LONGEST_SECONDS,
    environment,
  });

  return {
    measure: (runs, environment = {}) =>
      measure(
        runs.map((run) => ({ ...run, bundle: copy?.bundles.get(run.file.path) })),
        records,
        settings(environment),
      ),

    async judge(take, done) {
      let task: MutantTask | undefined;
      let waiting: TestFile[] = [];
      let failure: Judgement | undefined;

      const begin = async (): Promise<boolean> => {
        for (task ??= take(); task !== undefined; task = take()) {
          waiting = inOrder(task, records);
          failure = undefined;
          if (await task.apply(place)) return true;
          done(task, { outcome: "refused" });
        }
        return false;
      };
      const end = async () => {
        const ended = task!;
        task = undefined;
        await ended.undo(place);
        if (failure !== undefined) await dropTestDatabases(server);
        done(ended, failure ?? { outcome: "lives" });
      };
      const nextRun = (): PlannedRun | undefined => {
        const file = waiting.shift();
        return file && {
          ...plannedRun(file),
          bundle: copy?.bundles.get(file.path),
          environment: task!.environmentOf(file),
          timeoutSeconds: PATIENCE_SECONDS + TIMES_AS_LONG * records.get(file.path)!.seconds,
        };
      };

      while (await begin()) {
        const { isAlone, environment } = task!;
        let files = 0;
        let clean: string | undefined;
        await runOnNode(
          async (open) => {
            clean ??= String(open);
            if (failure === undefined && waiting.length > 0) return nextRun();
            await end();
            const isUsedUp = isAlone || files > FILES_IN_A_PROCESS || String(open) !== clean;
            if (isUsedUp || (task = take()) === undefined || task.isAlone) return;
            return await begin() && !task.isAlone ? nextRun() : undefined;
          },
          ({ file, results }) => {
            files++;
            const failed = results.find(({ outcome }) => outcome === "failed");
            if (failed === undefined) return;
            const { found } = records.get(file.path)!;
            found.set(task!.mutant.file, (found.get(task!.mutant.file) ?? 0) + 1);
            failure = { outcome: "found", file: file.path, test: failed.name };
          },
          {
            ...settings(environment(place)),
            bail: ({ path }) => records.get(path)!.seconds > startSeconds,
          },
        );
        if (task !== undefined && failure !== undefined) await end();
      }
    },

    async stop() {
      await server.stop();
      takeBack();
      remove();
    },
  };
}

/** Runs tests that have not been measured, without a mutant. */
async function measure(
  runs: readonly PlannedRun[],
  records: TestRecords,
  settings: RunSettings,
): Promise<void> {
  const waiting = runs.filter(({ file }) => !records.has(file.path));
  const failures: string[] = [];
  const done = ({ file, seconds, results }: FileRun) => {
    records.set(file.path, { seconds, found: new Map() });
    const failure = results.find(({ outcome }) => outcome === "failed");
    if (failure) failures.push(`${file.path}: ${failure.name}\n${failure.error}`);
  };
  while (waiting.length > 0) await runOnNode(() => waiting.shift(), done, settings);
  if (failures.length > 0) {
    throw new TestFailure(`fails without a mutant: ${failures.join("\n")}`);
  }
}

/** Plans a run of a test file. */
export function plannedRun(file: TestFile): PlannedRun {
  const needs = file.kind === "plain" ? {} : { database: "PostgreSQL" } as const;
  return { file, on: { runtime: "Node", ...needs } };
}

/** Orders tests by how many mutants of this source they have found in a second so far. */
function inOrder({ tests, mutant }: MutantTask, records: TestRecords): TestFile[] {
  const worth = ({ path }: TestFile) => {
    const { found, seconds } = records.get(path)!;
    return ((found.get(mutant.file) ?? 0) + 1) / (seconds + 0.1);
  };
  return [...tests].sort((a, b) => worth(b) - worth(a));
}

/** Removes what tests that were ended have left, and so ends statements that still run. */
async function dropTestDatabases(server: RunningPostgreSQL): Promise<void> {
  const database = openDatabase(server.url, { maxConnections: 1 });
  try {
    const left = await database.sql<{ name: string }[]>`
      select datname as name from pg_database where datname like 'sabika\\_test\\_%'`;
    for (const { name } of left) {
      await database.sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
  } finally {
    await database.close();
  }
}

/** Makes a function that executes statements in a template, to which nobody may be connected while it is copied. */
function executeIn(server: RunningPostgreSQL, name: string) {
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return async (statements: string): Promise<boolean> => {
    const database = openDatabase(url.href, { maxConnections: 1 });
    try {
      await database.sql.unsafe(statements);
      return true;
    } catch (error) {
      if ((error as { severity?: string }).severity === undefined) throw error;
      return false;
    } finally {
      await database.close();
    }
  };
}
