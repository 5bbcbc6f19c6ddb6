/**
 * `npm test [-- PATH…]` and `npm run faults`: every test file on Node and on Deno, those with a database
 * on PGlite and on PostgreSQL. When all have run, all that was logged is searched for the secrets that
 * were used (`secret_search/`). Ends with the line `N passed, M failed, K skipped`.
 */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { runProgram } from "../programs/run_program.ts";
import { ensureDeno } from "../setup.mjs";
import { havePrograms, missingFor } from "./have_programs.ts";
import { type Leg, legName, legsOf } from "./legs.ts";
import { listTests, type TestFile } from "./list_tests.ts";
import * as report from "./report.ts";
import { planJobs } from "./plan_jobs.ts";
import { type FileRun, runJob } from "./run_job.ts";
import { judgeSearch, openRunRecord, searchRun } from "../../test/secret_search/search_run.ts";

/** So many plain files share a process. */
const TOGETHER = 10;
const tell = (line: string) => process.stdout.write(`${line}\n`);
const ci = Boolean(process.env.CI);
const args = process.argv.slice(2);
const faults = args.includes("--faults");
const paths = args.filter((arg) => !arg.startsWith("--"));
const folder = mkdtempSync(join(tmpdir(), "sabika-test-run-"));
const running = new Set<ChildProcess>();

let files: TestFile[];
try {
  files = listTests(paths).filter((file) => (file.kind === "fault") === faults);
  if (files.length === 0) throw new Error(`no ${faults ? "fault " : ""}test is among them`);
} catch (error) {
  tell((error as Error).message);
  process.exit(1);
}
const deno = await ensureDeno();
const node = "Deno" in globalThis ? "node" : process.execPath;
const programs = await havePrograms(files, { ci, tell });

const clean = async () => {
  for (const child of running) child.kill("SIGTERM");
  await programs.stop();
  rmSync(folder, { recursive: true, force: true });
};
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, async () => {
    if (interrupted) return;
    interrupted = true;
    await clean();
    process.exit(130);
  });
}

const possible: { file: TestFile; leg: Leg }[] = [];
const omissions: report.Omission[] = [];
for (const file of files) {
  for (const leg of legsOf(file)) {
    const missing = missingFor(file, leg.database, programs);
    if (missing === undefined) possible.push({ file, leg });
    else omissions.push({ path: file.path, leg, missing });
  }
}
const jobs = planJobs(possible, TOGETHER);

const started = performance.now();
const runs: FileRun[] = [];
const total = possible.length;
const settings = {
  deno,
  node,
  databaseUrl: programs.databaseUrl,
  folder,
  timeoutSeconds: faults ? 900 : 120,
  onStart(child: ChildProcess) {
    running.add(child);
    child.once("close", () => running.delete(child));
  },
};
// Faults measure and kill: one at a time, so that they do not disturb one another. Of the others one more
// than there are processors: some wait for what happens after seconds.
const workers = faults ? 1 : Number(process.env.SABIKA_TEST_JOBS) || availableParallelism() + 1;
await Promise.all(Array.from({ length: workers }, async () => {
  for (let job = jobs.shift(); job !== undefined && !interrupted; job = jobs.shift()) {
    const done = await runJob(job, settings);
    runs.push(...done);
    if (process.stdout.isTTY) process.stdout.write(`\r${runs.length} of ${total} `);
    else if (faults) {
      for (const run of done) tell(`${run.file.path}: ${run.seconds.toFixed(0)} s`);
    }
    if (interrupted) continue;
    for (const { file, leg, results } of done) {
      if (results.some(({ outcome }) => outcome === "failed")) {
        tell(`failed: ${file.path} [${legName(leg)}]`);
      }
    }
  }
}));
if (interrupted) await new Promise(() => {}); // the signal's listener ends the process
const databaseRecord = openRunRecord(folder, "the run's PostgreSQL");
databaseRecord.log("postgresql.log", await programs.databaseLog());
databaseRecord.secretsIn(programs.databaseUrl);
const secretSearch = judgeSearch(searchRun(folder), paths.length === 0);
await clean();

const version = async (command: string) => (await runProgram(command, ["--version"])).stdout;
const versions = {
  Node: `Node ${(await version(node)).trim().slice(1)}`,
  Deno: `Deno ${/\d+\.\d+\.\d+/.exec(await version(deno))?.[0]}`,
  PostgreSQL: programs.databaseVersion ?? "PostgreSQL",
};
for (const line of report.failureLines(runs)) tell(line);
if (report.countResults(runs).failed > 0) tell("");
for (const line of report.skipLines(runs)) tell(line);
for (const line of report.slowLines(runs, 10)) tell(line);
for (const line of report.legLines(runs, versions)) tell(line);
tell(`in ${((performance.now() - started) / 1000).toFixed(0)} s`);
for (const line of secretSearch.lines) tell(line);
const totals = report.countResults(runs);
totals.failed += secretSearch.failures;
for (const line of report.omissionLines(omissions, programs.missing)) {
  tell(ci ? `FAILED: ${line}` : line);
}
if (ci) totals.failed += omissions.length;
else totals.skipped += omissions.length;
tell(report.closingLine(totals));
process.exit(totals.failed === 0 ? 0 : 1);
