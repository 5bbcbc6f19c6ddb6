/**
 * `npm run clients [-- LANGUAGE…]`: the packed SDK, and the clients in other languages, held to
 * docs/vectors and run against a sandbox. Ends with the line `N passed, M failed, K skipped`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { judgeSearch, openRunRecord, searchRun } from "../../test/secret_search/search_run.ts";
import { closingLine, type Totals } from "../testing/report.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import type { Language } from "./language.ts";
import { python } from "./python.ts";
import { type LanguageRun, runLanguage } from "./run_language.ts";
import { typescript } from "./typescript.ts";

const LANGUAGES: readonly Language[] = [typescript, python, go, java];
const tell = (line: string) => process.stdout.write(`${line}\n`);
const ci = Boolean(process.env.CI);

async function main(names: readonly string[]): Promise<Totals> {
  const chosen = names.length === 0 ? LANGUAGES : names.map(languageOf);
  const folder = mkdtempSync(join(tmpdir(), "sabika-clients-"));
  try {
    const record = openRunRecord(folder, "clients");
    const runs: LanguageRun[] = [];
    for (const language of chosen) {
      runs.push(await runLanguage(language, { folder, record, tell, ci }));
    }
    const wasTried = runs.some(({ missing }) => missing === undefined);
    return report(runs, judgeSearch(searchRun(folder), wasTried));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function languageOf(name: string): Language {
  const language = LANGUAGES.find((one) => one.name === name);
  if (language !== undefined) return language;
  const known = LANGUAGES.map((one) => one.name).join(", ");
  tell(`there is no client in ${name}: choose from ${known}; see npm run clients -- --help`);
  process.exit(1);
}

function report(
  runs: readonly LanguageRun[],
  search: { failures: number; lines: string[] },
): Totals {
  const totals: Totals = { passed: 0, failed: search.failures, skipped: 0 };
  for (const { name, version, missing, results, seconds } of runs) {
    for (const result of results) {
      totals[result.outcome]++;
      if (result.outcome === "skipped") tell(`skipped: ${name} ${result.name}`);
      if (result.outcome !== "failed") continue;
      tell(`\nFAILED ${name} ${result.name}`);
      for (const line of (result.error ?? "").trimEnd().split("\n")) tell(`  ${line}`);
    }
    const line = `no tools for ${name} (${missing?.split("\n")[0]}): its client is left out`;
    if (missing === undefined) {
      const passed = results.filter(({ outcome }) => outcome === "passed").length;
      tell(`${version}: ${passed} of ${results.length} passed, ${seconds.toFixed(0)} s`);
    } else tell(ci ? `FAILED: ${line}` : line);
    if (missing !== undefined) totals[ci ? "failed" : "skipped"]++;
  }
  for (const line of search.lines) tell(line);
  return totals;
}

const totals = await main(process.argv.slice(2));
tell(closingLine(totals));
process.exit(totals.failed === 0 ? 0 : 1);
