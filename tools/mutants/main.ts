/**
 * `npm run mutants`: changes the sources and says which changes no test notices (Decision D112). However it
 * ends, it leaves no process behind.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { endChildrenAtSignals } from "../programs/end_children_at_signals.ts";
import { judgeSql } from "./judge_sql.ts";
import { judgeTypeScript } from "./judge_typescript.ts";
import { readMutantOptions, UsageError } from "./options.ts";
import { createProgress } from "./progress.ts";
import { findStaleReasons, readReasons } from "./reasons.ts";
import { reportJson, reportLines, unexplained } from "./report.ts";
import { isRoom } from "./rooms.ts";
import { findSources } from "./source.ts";
import { TestFailure } from "./mutant_judge.ts";

const SURVIVORS = 1;
const WRONG_USE = 2;

const interrupted = endChildrenAtSignals();
const write = (text: string) => process.stdout.write(text);

async function main(): Promise<boolean> {
  const options = readMutantOptions(process.argv.slice(2), isRoom);
  const reasons = readReasons();
  const sources = await findSources(options, reasons);
  const surroundings = {
    workers: options.workers,
    interrupted,
    progress: createProgress(write, process.stdout.isTTY, () => performance.now()),
  };
  const isSql = ({ file }: { file: string }) => file.endsWith(".sql");
  const [sql, typescript] = [
    await judgeSql(sources.filter(isSql), surroundings),
    await judgeTypeScript(sources.filter((source) => !isSql(source)), surroundings),
  ];
  const results = [...sql.results, ...typescript.results];
  const mutants = [...sql.mutants, ...typescript.mutants];
  const found = new Set(
    results.filter(({ judgement }) => judgement.outcome !== "lives").map(({ mutant }) => mutant),
  );
  const files = new Set(mutants.map(({ file }) => file));
  const living = mutants.filter((mutant) => !found.has(mutant));
  const stale = findStaleReasons(reasons, files, living);
  for (const line of reportLines(results, reasons, stale)) write(`${line}\n`);
  if (options.json !== undefined) writeFileSync(options.json, reportJson(results, reasons));
  return unexplained(results, reasons).length + stale.length === 0;
}

try {
  process.exit(await main() ? 0 : SURVIVORS);
} catch (error) {
  // What fails because its processes were ended; this one ends with them.
  if (interrupted.aborted) await new Promise<never>(() => {});
  if (!(error instanceof UsageError || error instanceof TestFailure)) throw error;
  const help = error instanceof UsageError ? "; see `npm run mutants -- --help`" : "";
  process.stderr.write(`${error.message}${help}\n`);
  process.exit(WRONG_USE);
}
