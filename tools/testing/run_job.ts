import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ROOT } from "../rules/repository_files.ts";
import { type Job, type Leg, legName } from "./legs.ts";
import type { TestFile } from "./list_tests.ts";
import { readDenoResults, readNodeResults, type TestResult } from "./read_results.ts";
import { openRunRecord, recordFolder } from "../../test/secret_search/search_run.ts";

/** How a file went on one leg. */
export interface FileRun {
  file: TestFile;
  leg: Leg;
  results: TestResult[];
  /** How long it took, or its share where files ran together. */
  seconds: number;
  /** What the process wrote, for a failure's story. */
  output: string;
}

/** What a run of a file needs to know. */
export interface RunSettings {
  /** The Deno program. */
  deno: string;
  /** The Node program. */
  node: string;
  /** The PostgreSQL for the legs that have it. */
  databaseUrl?: string;
  /** Where reports and records of logs and secrets are written. */
  folder: string;
  timeoutSeconds: number;
  /** Told each process, so that Ctrl-C can end it. */
  onStart?: (child: ChildProcess) => void;
}

const RUN_TOGETHER = fileURLToPath(new URL("run_together.mjs", import.meta.url));

let started = 0;

/** Runs a job's test files on its leg in a process of their own. Never throws for what they do. */
export async function runJob(job: Job, settings: RunSettings): Promise<FileRun[]> {
  const report = join(settings.folder, `report-${++started}`);
  const startedMs = performance.now();
  const [command, ...args] = commandOf(job, settings, report);
  const child = spawn(command!, args, {
    cwd: ROOT,
    env: environmentOf(job, settings),
    stdio: ["ignore", "pipe", "pipe"],
  });
  settings.onStart?.(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  let overdue = false;
  const deadline = setTimeout(() => {
    overdue = true;
    child.kill("SIGTERM"); // it may end what it started itself
    setTimeout(() => child.kill("SIGKILL"), 5000).unref();
  }, settings.timeoutSeconds * 1000);
  const [exitCode] = await once(child, "close") as [number | null];
  clearTimeout(deadline);
  const text = await readFile(report, "utf8").catch(() => "");
  await rm(report, { force: true });
  const record = openRunRecord(settings.folder, nameOf(job));
  record.log("output", output);
  record.log("report", text);
  const results = job.leg.runtime === "Node" ? readNodeResults(text) : readDenoResults(text);
  const trouble = overdue
    ? `it did not end within ${settings.timeoutSeconds} s: a test hangs or left something open`
    : exitCode !== 0 && !results.some((result) => result.outcome === "failed")
    ? `the process ended with ${exitCode ?? "a signal"}`
    : undefined;
  const seconds = (performance.now() - startedMs) / 1000 / job.files.length;
  const runs = job.files.map((file) => {
    const own = job.files.length === 1 ? results : results.filter((result) => isOf(result, file));
    return { file, leg: job.leg, results: [...own], output, seconds };
  });
  const fail = (run: FileRun, words: string) =>
    run.results.push({
      name: job.files.length === 1 ? "(the file itself)" : "(the files of one process)",
      outcome: "failed",
      error: `${words}\n${tail(output)}`,
    });
  if (trouble !== undefined) fail(runs[0]!, trouble);
  else for (const run of runs) if (run.results.length === 0) fail(run, "it has no test");
  const told = runs.reduce((sum, run) => sum + run.results.length, 0);
  if (told < results.length) fail(runs[0]!, `${results.length - told} results are of no file`);
  return runs;
}

/** Whether a result is of this file, whose path is told from the root or as a URL. */
function isOf({ file }: TestResult, { path }: TestFile): boolean {
  if (file === undefined) return false;
  const told = file.startsWith("file:") ? fileURLToPath(file) : file;
  return resolve(ROOT, told) === resolve(ROOT, path);
}

function commandOf({ files, leg }: Job, settings: RunSettings, report: string): string[] {
  const paths = files.map((file) => file.path);
  if (leg.runtime === "Deno") {
    return [settings.deno, "test", "-A", "--no-check", `--junit-path=${report}`, ...paths];
  }
  const reporter = new URL("node_reporter.mjs", import.meta.url).href;
  return [
    ...[settings.node, "--import", "tsx", `--test-reporter=${reporter}`],
    `--test-reporter-destination=${report}`,
    ...(paths.length === 1 ? paths : [RUN_TOGETHER, ...paths]),
  ];
}

/** `packages/jws/sign_test.ts [Node]`, or `packages/jws/sign_test.ts and 9 more [Node]`. */
function nameOf({ files, leg }: Job): string {
  const more = files.length === 1 ? "" : ` and ${files.length - 1} more`;
  return `${files[0]!.path}${more} [${legName(leg)}]`;
}

function environmentOf(job: Job, settings: RunSettings): Record<string, string | undefined> {
  const { leg } = job;
  const environment: Record<string, string | undefined> = {
    ...process.env,
    NO_COLOR: "1",
    SABIKA_TEST_RECORD: recordFolder(settings.folder, nameOf(job)),
  };
  delete environment.FORCE_COLOR;
  delete environment.TEST_DATABASE_URL;
  delete environment.SABIKA_TEST_DATABASE;
  if (leg.database === "PGlite") environment.SABIKA_TEST_DATABASE = "pglite";
  if (leg.database === "PostgreSQL") {
    environment.SABIKA_TEST_DATABASE = "postgresql";
    environment.TEST_DATABASE_URL = settings.databaseUrl;
  }
  return environment;
}

function tail(output: string): string {
  return output.trimEnd().split("\n").slice(-60).join("\n");
}
