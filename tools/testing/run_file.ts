import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { ROOT } from "../rules/repository_files.ts";
import { type Job, legName } from "./legs.ts";
import { readDenoResults, readNodeResults, type TestResult } from "./read_results.ts";
import { openRunRecord, recordFolder } from "./secret_search/search_run.ts";

/** How a file went on one leg. */
export interface FileRun extends Job {
  results: TestResult[];
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

let runs = 0;

/** Runs one test file on one leg in a process of its own. Never throws for what the file does. */
export async function runFile(job: Job, settings: RunSettings): Promise<FileRun> {
  const report = join(settings.folder, `report-${++runs}`);
  const started = performance.now();
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
    : troubleOf(exitCode, results);
  if (trouble !== undefined) {
    results.push({
      name: "(the file itself)",
      outcome: "failed",
      error: `${trouble}\n${tail(output)}`,
    });
  }
  return { ...job, results, output, seconds: (performance.now() - started) / 1000 };
}

/** What is wrong beside the tests' own outcomes, if anything. */
function troubleOf(exitCode: number | null, results: readonly TestResult[]): string | undefined {
  if (results.some((result) => result.outcome === "failed")) return undefined;
  if (exitCode !== 0) return `the process ended with ${exitCode ?? "a signal"}`;
  return results.length === 0 ? "it has no test" : undefined;
}

function commandOf({ file, leg }: Job, settings: RunSettings, report: string): string[] {
  if (leg.runtime === "Deno") {
    return [settings.deno, "test", "-A", "--no-check", `--junit-path=${report}`, file.path];
  }
  const reporter = new URL("node_reporter.mjs", import.meta.url).href;
  return [
    ...[settings.node, "--import", "tsx", `--test-reporter=${reporter}`],
    ...[`--test-reporter-destination=${report}`, file.path],
  ];
}

/** `packages/jws/sign_test.ts [Node]`. */
function nameOf({ file, leg }: Job): string {
  return `${file.path} [${legName(leg)}]`;
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
