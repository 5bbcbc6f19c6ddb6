/** `npm run load`: a k6 script against the stack, for one partner or several at once. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findK6 } from "../tools/programs/find_k6.ts";
import { summaryText } from "./lib/summary.ts";
import { findKits } from "./load/find_kits.ts";
import { LOAD_HELP, type LoadOptions, readLoadOptions, WrongUsage } from "./load/load_options.ts";
import { mergeRecords, readRecord } from "./load/read_record.ts";
import { renderReport } from "./load/report.ts";
import { runK6 } from "./load/run_k6.ts";
import { askPrometheus } from "./load/service_metrics.ts";
import { type RunResult, sumResults } from "./load/sum_results.ts";

/** What k6 exits with when a threshold failed. */
const THRESHOLD_FAILED = 99;

/** Runs a process for each partner at the same time; true when every threshold held for each. */
async function load(options: LoadOptions): Promise<boolean> {
  const kits = findKits(options.kits, options.partners);
  const k6 = await findK6();
  const results = resolve(options.results);
  await mkdir(results, { recursive: true });
  const alone = kits.length === 1;
  const ended = await Promise.all(kits.map(async (kit) => {
    const name = join(results, alone ? options.script : `${options.script}-${basename(kit)}`);
    const files = { summary: `${name}.json`, record: `${name}.ndjson` };
    const end = await runK6({
      k6,
      kit,
      ...files,
      show: alone,
      script: fileURLToPath(new URL(`./${options.script}.ts`, import.meta.url)),
      baseUrl: options.baseUrl,
      rate: options.rate,
      duration: options.duration,
    });
    return { partner: basename(kit), ...files, end };
  }));
  for (const { partner, end } of ended) {
    if (alone || end.exitCode === 0 || end.exitCode === THRESHOLD_FAILED) continue;
    console.error(`${partner}: k6 ended with ${end.exitCode}\n${end.output.trim()}`);
  }
  await report(options, ended, join(results, options.script));
  return ended.every(({ end }) => end.exitCode === 0);
}

interface Ended {
  partner: string;
  summary: string;
  record: string;
}

/** Adds up what the runs found, and writes the page. */
async function report(options: LoadOptions, runs: readonly Ended[], name: string): Promise<void> {
  const read = (files: string[]) => Promise.all(files.map((file) => readFile(file, "utf8")));
  const summaries = await read(runs.map(({ summary }) => summary));
  const records = await read(runs.map(({ record }) => record));
  const result = sumResults(summaries.map((text) => JSON.parse(text) as RunResult));
  if (runs.length > 1) {
    const title = `${options.script}, ${runs.length} partners (times: the worst partner's)`;
    console.log(summaryText(title, result.question, result));
    await writeFile(`${name}.json`, JSON.stringify(result, undefined, 2) + "\n");
  }
  const record = mergeRecords(records.map(readRecord));
  const service = options.prometheus === undefined
    ? undefined
    : await askPrometheus(options.prometheus, record, fetch);
  const partners = runs.map(({ partner }) => partner);
  await writeFile(`${name}.html`, renderReport({ result, record, partners, service }));
  await Promise.all(runs.map((run) => rm(run.record)));
  console.log(`report: ${name}.html, summaries beside it`);
}

try {
  const options = readLoadOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(LOAD_HELP);
  else process.exitCode = await load(options) ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof WrongUsage ? 2 : 1;
}
