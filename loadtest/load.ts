/** `npm run load`: a k6 script against the stack, for one partner or several at once. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findK6 } from "../tools/programs/find_k6.ts";
import { summaryText } from "./lib/summary.ts";
import { findKits } from "./load/find_kits.ts";
import { LOAD_HELP, type LoadOptions, readLoadOptions, WrongUsage } from "./load/load_options.ts";
import { runK6 } from "./load/run_k6.ts";
import { type RunResult, sumResults } from "./load/sum_results.ts";

/** Runs a process for each partner at the same time; true when every threshold held for each. */
async function load(options: LoadOptions): Promise<boolean> {
  const kits = findKits(options.kits, options.partners);
  const k6 = await findK6();
  const results = resolve(options.results);
  await mkdir(results, { recursive: true });
  const alone = kits.length === 1;
  const runs = kits.map(async (kit) => {
    const name = join(results, alone ? options.script : `${options.script}-${basename(kit)}`);
    const end = await runK6({
      k6,
      script: fileURLToPath(new URL(`./${options.script}.ts`, import.meta.url)),
      kit,
      baseUrl: options.baseUrl,
      rate: options.rate,
      duration: options.duration,
      summary: `${name}.json`,
      charts: `${name}.html`,
      show: alone,
    });
    return { kit, name, end };
  });
  const ended = await Promise.all(runs);
  let good = true;
  for (const { kit, end } of ended) {
    good &&= end.exitCode === 0;
    if (alone || end.exitCode === 0 || end.exitCode === 99) continue;
    console.error(`${basename(kit)}: k6 ended with ${end.exitCode}\n${end.output.trim()}`);
  }
  if (!alone) await tellSum(options, ended.map(({ name }) => `${name}.json`), results);
  console.log(`charts and summaries: ${ended.map(({ name }) => `${name}.html`).join(", ")}`);
  return good;
}

async function tellSum(options: LoadOptions, files: string[], results: string): Promise<void> {
  const parts: RunResult[] = [];
  for (const file of files) parts.push(JSON.parse(await readFile(file, "utf8")) as RunResult);
  const sum = sumResults(parts);
  const title = `${options.script}, ${parts.length} partners (times: the worst partner's)`;
  console.log(summaryText(title, sum.question, sum));
  await writeFile(
    join(results, `${options.script}.json`),
    JSON.stringify(sum, undefined, 2) + "\n",
  );
}

try {
  const options = readLoadOptions(process.argv.slice(2));
  if (options === undefined) console.log(LOAD_HELP);
  else process.exitCode = await load(options) ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof WrongUsage ? 2 : 1;
}
