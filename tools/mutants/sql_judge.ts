import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openDatabase } from "@sabika/database";
import { schemaHash } from "@sabika/service/schema";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { atEnd } from "../programs/at_end.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../programs/run_postgresql.ts";
import { ROOT } from "../rules/repository_files.ts";
import type { FileRun, PlannedRun } from "../testing/file_run.ts";
import { runOnNode } from "../testing/run_on_node.ts";
import type { TestFile } from "../testing/test_files.ts";
import { type Mutant, withChange } from "./mutant.ts";
import type { Judgement } from "./kept_results.ts";

/** The time limit of a test file: this, and what it takes without a mutant, with a busy machine in mind. */
const PATIENCE_SECONDS = 20;
const TIMES_AS_LONG = 6;
/** The time limit of a test file without a mutant, as of `npm test`. */
const LONGEST_SECONDS = 300;

const SWAP_FILE = new URL("swap_file.mjs", import.meta.url).href;

/** After so many files a process has many copies of modules in memory. */
const FILES_IN_A_PROCESS = 60;
/** A test file that takes longer is ended at its first failure; of another the process is used again. */
const SHORT_SECONDS = 1.5;

/** A mutant to judge, and the tests that are to find it. */
export interface SqlTask {
  mutant: Mutant;
  /** The text of its file. */
  text: string;
  tests: readonly TestFile[];
}

/** Thrown when a test fails without a mutant; its message is shown to the user. */
export class TestFailure extends Error {}

/** Runs tests against mutants of SQL, on a PostgreSQL of its own. */
export interface SqlJudge {
  /**
   * Runs tests without a mutant, and keeps their times.
   *
   * @throws {TestFailure} if one fails: nothing can be said of mutants then
   */
  measure(tests: readonly TestFile[]): Promise<void>;
  /**
   * Judges one mutant after the other: runs the tests, those first that found most in the least time,
   * until one fails.
   */
  judge(
    take: () => SqlTask | undefined,
    done: (mutant: Mutant, judgement: Judgement) => void,
  ): Promise<void>;
  stop(): Promise<void>;
}

/** What is known of test files, by path; the judges of a run share it. */
export type TestRecords = Map<string, { seconds: number; found: number }>;

/** Starts a judge. */
export async function startSqlJudge(records: TestRecords): Promise<SqlJudge> {
  const server = await runPostgreSQL({ durable: false });
  const folder = mkdtempSync(join(tmpdir(), "sabika-mutants-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const takeBack = atEnd(remove);
  // Leaves the template behind, which every database of a test is a copy of.
  await (await openTestDatabase({ server: server.url })).close();
  const template = databaseOf(server, `sabika_template_${await schemaHash()}`);
  const settings = (tests: readonly TestFile[], environment: Record<string, string> = {}) => ({
    deno: "deno",
    node: process.execPath,
    folder,
    databaseUrl: server.socketUrl,
    timeoutSeconds: tests.every(({ path }) => records.has(path))
      ? PATIENCE_SECONDS +
        TIMES_AS_LONG * Math.max(...tests.map(({ path }) => records.get(path)!.seconds))
      : LONGEST_SECONDS,
    environment,
    bail: ({ path }: TestFile) => (records.get(path)?.seconds ?? 0) > SHORT_SECONDS,
  });

  return {
    async measure(tests) {
      const waiting = tests.filter(({ path }) => !records.has(path));
      if (waiting.length === 0) return;
      const failures: string[] = [];
      const done = ({ file, seconds, results }: FileRun) => {
        records.set(file.path, { seconds, found: 0 });
        const failure = results.find(({ outcome }) => outcome === "failed");
        if (failure) failures.push(`${file.path}: ${failure.name}\n${failure.error}`);
      };
      while (waiting.length > 0) {
        await runOnNode(() => planned(waiting.shift()), done, settings(tests));
      }
      if (failures.length > 0) {
        throw new TestFailure(`fails without a mutant: ${failures.join("\n")}`);
      }
    },

    async judge(take, done) {
      let task: SqlTask | undefined;
      let waiting: TestFile[] = [];
      let failure: Judgement | undefined;

      const begin = async (): Promise<boolean> => {
        for (task ??= take(); task !== undefined; task = take()) {
          waiting = inOrder(task.tests, records);
          failure = undefined;
          const { mutant, text } = task;
          const mutated = withChange(text, mutant);
          if (!isFunction(mutant.file)) writeFileSync(join(folder, "mutant.sql"), mutated);
          else if (!await template.accepts(mutated)) {
            done(mutant, { outcome: "refused" });
            continue;
          }
          return true;
        }
        return false;
      };
      const end = async () => {
        const { mutant, text } = task!;
        task = undefined;
        if (isFunction(mutant.file)) await template.accepts(text);
        if (failure !== undefined) await dropTestDatabases(server);
        done(mutant, failure ?? { outcome: "lives" });
      };

      while (await begin()) {
        const isOne = !isFunction(task!.mutant.file);
        let files = 0;
        let clean: string | undefined;
        await runOnNode(
          async (open) => {
            clean ??= String(open);
            if (failure === undefined && waiting.length > 0) return planned(waiting.shift());
            await end();
            const isUsedUp = isOne || files > FILES_IN_A_PROCESS || String(open) !== clean;
            if (isUsedUp || (task = take()) === undefined || !isFunction(task.mutant.file)) return;
            return await begin() ? planned(waiting.shift()) : undefined;
          },
          ({ file, results }) => {
            files++;
            const failed = results.find(({ outcome }) => outcome === "failed");
            if (failed === undefined) return;
            records.get(file.path)!.found++;
            failure = { outcome: "found", file: file.path, test: failed.name };
          },
          settings(task!.tests, isOne ? swapping(task!.mutant.file, folder) : {}),
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

/** Whether a file makes functions, which are in the template; others are read when they are used. */
function isFunction(file: string): boolean {
  return /^packages\/service\/\w+\/\w+\.sql$/.test(file);
}

/** Makes a process read the mutant instead of a file. */
function swapping(file: string, folder: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${SWAP_FILE}`,
    SABIKA_MUTANT_FILE: join(ROOT, file),
    SABIKA_MUTANT_TEXT: join(folder, "mutant.sql"),
  };
}

function planned(file: TestFile | undefined): PlannedRun | undefined {
  if (file === undefined) return undefined;
  const needs = file.kind === "plain" ? {} : { database: "PostgreSQL" } as const;
  return { file, on: { runtime: "Node", ...needs } };
}

/** Orders tests by how many mutants they have found in a second so far. */
function inOrder(tests: readonly TestFile[], records: TestRecords): TestFile[] {
  const worth = ({ path }: TestFile) => {
    const { found, seconds } = records.get(path)!;
    return (found + 1) / (seconds + 0.1);
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

/** The template, to which nobody may be connected while it is copied. */
function databaseOf(server: RunningPostgreSQL, name: string) {
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    /** Runs statements; false if PostgreSQL refuses them. */
    async accepts(statements: string): Promise<boolean> {
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
    },
  };
}
