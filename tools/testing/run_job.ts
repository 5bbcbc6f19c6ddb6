import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openRunRecord, recordFolder } from "../../test/secret_search/search_run.ts";
import {
  endMarkedProcesses,
  markedProcesses,
  markWithin,
  RUN_MARK,
} from "../programs/marked_processes.ts";
import { ROOT } from "../rules/repository_files.ts";
import type { TestFile } from "./list_tests.ts";
import { type Combination, combinationName, type Job } from "./matrix.ts";
import { readDenoResults, readNodeResults, type TestResult } from "./read_results.ts";

export interface FileRun {
  file: TestFile;
  on: Combination;
  results: TestResult[];
  /** How long it took, or its share where files ran together. */
  seconds: number;
  /** What the process wrote, to explain a failure. */
  output: string;
}

export interface RunSettings {
  deno: string;
  node: string;
  /** The PostgreSQL for the combinations that have it. */
  databaseUrl?: string;
  /** Where reports and records of logs and secrets are written. */
  folder: string;
  timeoutSeconds: number;
  /** Runs only the tests whose names contain it; a file may then have none. */
  name?: string;
  /** Whether tests have the sizes that the catalogue of faults asks for. */
  long?: boolean;
  /** Ends the run of the file, and all that it has started. */
  signal?: AbortSignal;
}

const RUN_TOGETHER = fileURLToPath(new URL("run_together.mjs", import.meta.url));
/** How long what a test has started may take to end in order. */
const END_PATIENCE_MS = 5_000;
/** How long a helper process of the runtime may outlive it (esbuild's ends when its input does). */
const AFTERMATH_MS = 10_000;

let started = 0;

/**
 * Runs a job's test files on its combination in a process of their own, in a session of its own: a
 * Ctrl-C reaches the runner alone, which ends the process and all that it has started. Never throws for
 * what the files do.
 */
export async function runJob(job: Job, settings: RunSettings): Promise<FileRun[]> {
  const number = ++started;
  const report = join(settings.folder, `report-${number}`);
  const mark = markWithin(`${process.pid}.${number}`);
  const startedMs = performance.now();
  const { exitCode, output, overdue, left } = await runToTheEnd(job, settings, report, mark);
  const text = await readFile(report, "utf8").catch(() => "");
  await rm(report, { force: true });
  const record = openRunRecord(settings.folder, nameOf(job));
  record.log("output", output);
  record.log("report", text);
  const { name } = settings;
  // Tests of other names are reported as skipped by some versions of the runtimes.
  const together = job.files.length === 1 ? [] : job.files.map(({ path }) => path);
  const results =
    (job.on.runtime === "Node" ? readNodeResults(text, together) : readDenoResults(text))
      .filter((result) =>
        name === undefined || result.outcome !== "skipped" || result.name.includes(name)
      );
  const trouble = overdue
    ? `it did not end within ${settings.timeoutSeconds} s: a test hangs or left something open, ` +
      `after ${results.length === 0 ? "none had ended" : `"${results.at(-1)!.name}"`}`
    : exitCode !== 0 && !results.some((result) => result.outcome === "failed")
    ? `the process ended with ${exitCode ?? "a signal"}`
    : left.length > 0
    ? `it left processes behind:\n${left.join("\n")}`
    : undefined;
  const seconds = (performance.now() - startedMs) / 1000 / job.files.length;
  const runs = job.files.map((file) => {
    const own = job.files.length === 1 ? results : results.filter((result) => isOf(result, file));
    return { file, on: job.on, results: [...own], output, seconds };
  });
  const fail = (run: FileRun, words: string) =>
    run.results.push({
      name: job.files.length === 1 ? "(the file itself)" : "(the files of one process)",
      outcome: "failed",
      error: `${words}\n${tail(output)}`,
    });
  if (trouble !== undefined) fail(runs[0]!, trouble);
  else if (name === undefined) {
    for (const run of runs) if (run.results.length === 0) fail(run, "it has no test");
  }
  const assigned = runs.reduce((sum, run) => sum + run.results.length, 0);
  if (assigned < results.length) {
    fail(runs[0]!, `${results.length - assigned} results are of no file`);
  }
  return runs;
}

interface JobEnd {
  exitCode: number | null;
  output: string;
  overdue: boolean;
  /** The commands of what outlived it, ended since. */
  left: string[];
}

async function runToTheEnd(
  job: Job,
  settings: RunSettings,
  report: string,
  mark: string,
): Promise<JobEnd> {
  const [command, ...args] = commandOf(job, settings, report);
  const child = spawn(command!, args, {
    cwd: ROOT,
    env: { ...environmentOf(job, settings), [RUN_MARK]: mark },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const end = () => void endMarkedProcesses(mark, END_PATIENCE_MS);
  let overdue = false;
  const deadline = setTimeout(() => {
    overdue = true;
    end();
  }, settings.timeoutSeconds * 1000);
  settings.signal?.addEventListener("abort", end, { once: true });
  const closed = once(child, "close");
  const [exitCode] = await once(child, "exit") as [number | null];
  clearTimeout(deadline);
  settings.signal?.removeEventListener("abort", end);
  // What outlives the process may hold its output open: it is ended before the output is waited for.
  const left = overdue || settings.signal?.aborted ? [] : await outliving(mark);
  await endMarkedProcesses(mark, END_PATIENCE_MS);
  await closed;
  return { exitCode, output, overdue, left };
}

/** The commands of the processes that do not end with the one that started them. */
async function outliving(mark: string): Promise<string[]> {
  const deadline = performance.now() + AFTERMATH_MS;
  let left = markedProcesses(mark);
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = markedProcesses(mark);
  }
  return left.map(({ command }) => command);
}

/** Whether a result is of this file, whose path the runtime gives from the root or as a URL. */
function isOf({ file }: TestResult, { path }: TestFile): boolean {
  if (file === undefined) return false;
  const plain = file.startsWith("file:") ? fileURLToPath(file) : file;
  return resolve(ROOT, plain) === resolve(ROOT, path);
}

/**
 * Without V8's second, optimising compiler for WebAssembly the embedded database needs a third less of
 * the processor for what a test asks of it.
 */
const WASM = "--liftoff-only";

function commandOf({ files, on }: Job, settings: RunSettings, report: string): string[] {
  const paths = files.map((file) => file.path);
  const { name } = settings;
  if (on.runtime === "Deno") {
    const filter = name === undefined ? [] : [`--filter=/${literal(name)}/`];
    return [
      ...[
        settings.deno,
        "test",
        "-A",
        "--no-check",
        `--v8-flags=${WASM}`,
        `--junit-path=${report}`,
      ],
      ...[...filter, ...paths],
    ];
  }
  const reporter = new URL("node_reporter.mjs", import.meta.url).href;
  return [
    ...[settings.node, WASM, "--import", "tsx", `--test-reporter=${reporter}`],
    `--test-reporter-destination=${report}`,
    ...(name === undefined ? [] : [`--test-name-pattern=${literal(name)}`]),
    ...(paths.length === 1 ? paths : [RUN_TOGETHER, ...paths]),
  ];
}

/** A regular expression that matches exactly this text. */
function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** `packages/jws/openssl_test.ts [Node]`, or `packages/jws/openssl_test.ts and 9 more [Node]`. */
function nameOf({ files, on }: Job): string {
  const more = files.length === 1 ? "" : ` and ${files.length - 1} more`;
  return `${files[0]!.path}${more} [${combinationName(on)}]`;
}

/** What a machine has set for other programs: a database, a way around the loopback, words on stderr. */
const OF_OTHERS =
  /^(PG[A-Z]+|TEST_DATABASE_URL|SABIKA_TEST_DATABASE|FORCE_COLOR|(HTTPS?|ALL)_PROXY|_?J\w*_OPTIONS)$/i;

function environmentOf(job: Job, settings: RunSettings): Record<string, string | undefined> {
  const { on } = job;
  const environment: Record<string, string | undefined> = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_OTHERS.test(name))),
    NO_COLOR: "1",
    SABIKA_TEST_RECORD: recordFolder(settings.folder, nameOf(job)),
  };
  if (settings.long) environment.SABIKA_TEST_LONG = "1";
  if (on.database === "PGlite") environment.SABIKA_TEST_DATABASE = "pglite";
  if (on.database === "PostgreSQL") {
    environment.SABIKA_TEST_DATABASE = "postgresql";
    environment.TEST_DATABASE_URL = settings.databaseUrl;
  }
  return environment;
}

function tail(output: string): string {
  return output.trimEnd().split("\n").slice(-20).join("\n");
}
