import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { TestRecord } from "../../test/secret_search/record.ts";
import { judgeSearch, openRunRecord, searchRun } from "../../test/secret_search/search_run.ts";
import { closingLine, type Totals } from "../testing/report.ts";
import { type ClientsSandbox, startClientsSandbox } from "./sandbox.ts";
import type { Subject } from "./subject.ts";

const tell = (line: string) => process.stdout.write(`${line}\n`);

/** In CI a missing program is a failure; elsewhere the check is skipped. */
const CI = Boolean(process.env.CI);

/**
 * Checks all subjects, or those that the command line names, searches their output for secrets, and prints
 * the line `N passed, M failed, K skipped` at the end.
 *
 * @param command the npm script, for messages
 * @returns the exit code
 */
export async function runSubjects(command: string, subjects: readonly Subject[]): Promise<number> {
  const isStack = process.argv.includes("--stack");
  const names = process.argv.slice(2).filter((name) => name !== "--stack");
  const known = subjects.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    tell(`npm run ${command} knows no ${unknown}: choose from ${known.join(", ")}`);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), `sabika-${command}-`));
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  try {
    const record = openRunRecord(folder, command);
    let made: Promise<string> | undefined;
    // It loads the service, which others do not need.
    const makeVectors = async () => (await import("./altered_vectors.ts")).makeVectors(folder);
    const vectors = () => made ??= makeVectors();
    const run: Run = { folder, record, totals, vectors, isStack, hasSandbox: false };
    for (const subject of subjects) {
      if (names.length > 0 && !names.includes(subject.name)) continue;
      await runSubject(subject, run);
    }
    const search = judgeSearch(searchRun(folder), run.hasSandbox);
    for (const line of search.lines) tell(line);
    totals.failed += search.failures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  tell(closingLine(totals));
  return totals.failed === 0 ? 0 : 1;
}

interface Run {
  folder: string;
  /** Keeps all output for the search for secrets. */
  record: TestRecord;
  totals: Totals;
  vectors: () => Promise<string>;
  /** Whether the service is the stack, behind Envoy, and not the sandbox. */
  isStack: boolean;
  /** Whether a sandbox was started, whose secrets are searched for. */
  hasSandbox: boolean;
}

async function runSubject(subject: Subject, run: Run): Promise<void> {
  const { folder, record, totals, vectors, isStack } = run;
  const { name } = subject;
  const leaveOut = (what: string, reason: string) => {
    const line = `${name}: ${what} is left out: ${reason.split("\n")[0]}`;
    tell(CI ? `FAILED ${line}` : line);
    totals[CI ? "failed" : "skipped"]++;
  };
  const scratch = join(folder, name);
  mkdirSync(scratch);
  tell(`${name}: fetching what it needs`);
  const prepared = await subject.prepare(scratch).catch((error: Error) => error);
  if (prepared instanceof Error) return leaveOut("all of it", prepared.message);
  if (prepared.version !== undefined) tell(`${name}: ${prepared.version}`);
  // Each subject has its own sandbox, so that no events of other tests delay those of an example.
  let sandbox: Promise<ClientsSandbox> | undefined;
  const start = () => {
    run.hasSandbox = true;
    return sandbox ??= startClientsSandbox(folder, record, isStack);
  };
  try {
    for (const [at, check] of prepared.checks.entries()) {
      if (check.missing !== undefined) {
        leaveOut(check.name, check.missing);
        continue;
      }
      const startedMs = performance.now();
      const { ok, output } = await check.run(start, vectors);
      record.log(name, output);
      totals[ok ? "passed" : "failed"]++;
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
      tell(`${ok ? "passed" : "FAILED"} ${name}: ${check.name} (${seconds} s)`);
      if (ok) continue;
      for (const line of output.trimEnd().split("\n").slice(-200)) tell(`  ${line}`);
      const left = prepared.checks.length - at - 1;
      if (left > 0) tell(`${name}: ${left} checks behind it are not tried`);
      return;
    }
  } finally {
    await sandbox?.then((started) => started.stop(), () => {});
  }
}
