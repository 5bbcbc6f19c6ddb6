/** `npm run load`: runs a k6 script against the stack, for one partner or several at once. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findProgram } from "../tools/programs/find_program.ts";
import { summaryText } from "./lib/summary.ts";
import { findKits } from "./load/find_kits.ts";
import { LOAD_HELP, type LoadOptions, readLoadOptions, WrongUsage } from "./load/load_options.ts";
import { runK6 } from "./load/run_k6.ts";
import { type RunResult, sumResults } from "./load/sum_results.ts";

/** The exit code of k6 when a threshold failed. */
const THRESHOLD_FAILED = 99;

/** Runs a process for each partner at the same time; resolves with true if all thresholds held. */
async function load(options: LoadOptions): Promise<boolean> {
  const kits = findKits(options.kits, options.partners);
  const k6 = (await findProgram("k6")).command;
  const results = resolve(options.results);
  await mkdir(results, { recursive: true });
  const isAlone = kits.length === 1;
  const ended = await Promise.all(kits.map(async (kit) => {
    const name = join(results, isAlone ? options.script : `${options.script}-${basename(kit)}`);
    const files = { summary: `${name}.json`, page: `${name}.html` };
    const end = await runK6({
      k6,
      kit,
      ...files,
      show: isAlone,
      script: fileURLToPath(new URL(`./${options.script}.ts`, import.meta.url)),
      baseUrl: options.baseUrl,
      rate: options.rate,
      duration: options.duration,
    });
    return { partner: basename(kit), ...files, end };
  }));
  for (const { partner, end } of ended) {
    if (isAlone || end.exitCode === 0 || end.exitCode === THRESHOLD_FAILED) continue;
    console.error(`${partner}: k6 ended with ${end.exitCode}\n${end.output.trim()}`);
  }
  await report(options, ended, join(results, options.script));
  return ended.every(({ end }) => end.exitCode === 0);
}

/** Adds up the results of the runs, and prints them. */
async function report(
  options: LoadOptions,
  runs: readonly { summary: string; page: string }[],
  name: string,
): Promise<void> {
  const summaries = await Promise.all(runs.map(({ summary }) => readFile(summary, "utf8")));
  const result = sumResults(summaries.map((text) => JSON.parse(text) as RunResult));
  if (runs.length > 1) {
    const title = `${options.script}, ${runs.length} partners (times: the worst partner's)`;
    console.log(summaryText(title, result.question, result));
    await writeFile(`${name}.json`, JSON.stringify(result, undefined, 2) + "\n");
  }
  console.log(`pages: ${runs.map(({ page }) => page).join(", ")}; summaries beside them`);
}

try {
  const options = readLoadOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(LOAD_HELP);
  else process.exitCode = await load(options) ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof WrongUsage ? 2 : 1;
}
