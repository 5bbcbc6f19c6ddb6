import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openRunRecord } from "../../test/secret_search/search_run.ts";
import { ROOT } from "../rules/repository_files.ts";
import {
  environmentOf,
  type FileRun,
  literal,
  nameOf,
  type PlannedRun,
  type RunSettings,
  withoutOtherNames,
} from "./file_run.ts";
import { readDenoResults } from "./read_results.ts";
import { machineLoad, startTestProcess, tail, testEnvironment } from "./test_process.ts";

/**
 * Runs files with the same database in a process of `deno test`. Never throws for what they do.
 *
 * @param runs at least one
 */
export async function runOnDeno(
  runs: readonly PlannedRun[],
  settings: RunSettings,
): Promise<FileRun[]> {
  const { name, timeoutSeconds, long, signal } = settings;
  const report = join(settings.folder, `report-${randomUUID()}`);
  const started = performance.now();
  const environment = environmentOf(runs[0]!, settings);
  const env = { ...testEnvironment(long), ...withoutNulls(environment) };
  const tests = startTestProcess(settings.deno, [
    ...["test", "-A", "--no-check", "--v8-flags=--liftoff-only", `--junit-path=${report}`],
    ...(name === undefined ? [] : [`--filter=/${literal(name)}/`]),
    ...runs.map(({ file }) => file.path),
  ], { env, ipc: false, ...(signal ? { signal } : {}) });
  let overdue: string | undefined;
  const deadline = setTimeout(() => {
    overdue = `it did not end within ${timeoutSeconds} s (${machineLoad()}): a test hangs`;
    tests.end();
  }, timeoutSeconds * 1000);
  const { exitCode, left } = await tests.ended;
  clearTimeout(deadline);
  const output = tests.takeOutput();
  const text = await readFile(report, "utf8").catch(() => "");
  await rm(report, { force: true });
  const record = openRunRecord(settings.folder, nameOf(runs[0]!));
  record.log("output", output);
  record.log("report", text);
  const results = withoutOtherNames(readDenoResults(text), name);
  const seconds = (performance.now() - started) / 1000 / runs.length;
  const done = runs.map((run): FileRun => {
    const isOfFile = (path = "") => resolve(ROOT, path) === resolve(ROOT, run.file.path);
    return { ...run, results: results.filter(({ file }) => isOfFile(file)), seconds };
  });
  const fail = (run: FileRun, words: string) =>
    run.results.push({
      name: "(the file itself)",
      outcome: "failed",
      error: `${words}\n${tail(output)}`,
    });
  // What it said last names the file and the test.
  const trouble = overdue ??
    (exitCode !== 0 && !results.some(({ outcome }) => outcome === "failed")
      ? `the process ended with ${exitCode ?? "a signal"}`
      : left.length > 0
      ? `it left processes behind:\n${left.join("\n")}`
      : undefined);
  if (trouble !== undefined) fail(done[0]!, trouble);
  else if (name === undefined) {
    for (const run of done) if (run.results.length === 0) fail(run, "it has no test");
  }
  return done;
}

function withoutNulls(environment: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}
