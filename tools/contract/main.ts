/**
 * `npm run contract [-- JUDGE…]`: strangers judge the contract (Decision D72): docs/openapi.json, a
 * sandbox that serves it, and its page. Ends with the line `N passed, M failed, K skipped`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { judgeSearch, openRunRecord, searchRun } from "../../test/secret_search/search_run.ts";
import { startClientsSandbox } from "../clients/sandbox.ts";
import { closingLine, type Totals } from "../testing/report.ts";
import { browser } from "./browser.ts";
import { document } from "./document.ts";
import { javaClient } from "./java_client.ts";
import type { Judge, PreparedJudge } from "./judge.ts";
import { schemathesis } from "./schemathesis.ts";
import { typescriptClient } from "./typescript_client.ts";

const JUDGES: readonly Judge[] = [document, typescriptClient, javaClient, browser, schemathesis];
const tell = (line: string) => process.stdout.write(`${line}\n`);
const ci = Boolean(process.env.CI);

async function main(names: readonly string[]): Promise<Totals> {
  const chosen = names.length === 0 ? JUDGES : names.map(judgeOf);
  const folder = mkdtempSync(join(tmpdir(), "sabika-contract-"));
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  try {
    const record = openRunRecord(folder, "contract");
    const prepared: { name: string; judge: PreparedJudge }[] = [];
    // Before anything starts: a fetch must not change what runs.
    for (const { name, prepare } of chosen) {
      tell(`${name}: fetching what it needs`);
      const scratch = join(folder, name);
      mkdirSync(scratch);
      const judge = await prepare(scratch).catch((error: Error) => error);
      if (!(judge instanceof Error)) prepared.push({ name, judge });
      else {
        const line = `no tools for ${name} (${judge.message.split("\n")[0]}): it is left out`;
        tell(ci ? `FAILED: ${line}` : line);
        totals[ci ? "failed" : "skipped"]++;
      }
    }
    if (prepared.length === 0) return totals;
    const sandbox = await startClientsSandbox(folder, record);
    try {
      for (const { name, judge } of prepared) {
        const started = performance.now();
        const { results, output } = await judge(sandbox);
        record.log(name, output);
        for (const result of results) {
          totals[result.outcome]++;
          const seconds = ((performance.now() - started) / 1000).toFixed(0);
          tell(`${name}: ${result.outcome}: ${result.name} (${seconds} s)`);
          for (const line of (result.error ?? "").trimEnd().split("\n")) {
            if (line) tell(`  ${line}`);
          }
        }
      }
    } finally {
      await sandbox.stop();
    }
    const search = judgeSearch(searchRun(folder), true);
    for (const line of search.lines) tell(line);
    totals.failed += search.failures;
    return totals;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judgeOf(name: string): Judge {
  const judge = JUDGES.find((one) => one.name === name);
  if (judge !== undefined) return judge;
  tell(`there is no judge ${name}: choose from ${JUDGES.map((one) => one.name).join(", ")}`);
  process.exit(1);
}

const totals = await main(process.argv.slice(2));
tell(closingLine(totals));
process.exit(totals.failed === 0 ? 0 : 1);
