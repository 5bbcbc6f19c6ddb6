import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { endChildrenAtSignals } from "../programs/end_children_at_signals.ts";
import { ROOT } from "../rules/repository_files.ts";
import { listTests } from "../testing/list_tests.ts";
import { UsageError } from "../testing/options.ts";

const MOST_SEEDS = 2 ** 32;
/** Deno runs tests under a command of its own alone, which takes long ones for stuck. */
const NODE = "Deno" in globalThis ? "node" : process.execPath;

function readOptions(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { seed: { type: "string" }, cases: { type: "string", default: "1000000" } },
  });
  const seed = values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0]);
  const isWhole = (text: string) => /^[0-9]{1,10}$/.test(text);
  if (!isWhole(seed) || Number(seed) >= MOST_SEEDS) {
    throw new UsageError("--seed is a whole number");
  }
  if (!isWhole(values.cases)) throw new UsageError("--cases is a whole number");
  const files = listTests(positionals).map(({ path }) => path)
    .filter((path) => path.endsWith("_fuzz_test.ts"));
  if (files.length === 0) throw new UsageError("there is no fuzz test");
  return { seed, cases: values.cases, files };
}

/** Runs a file by itself and prints what it said when it has ended. */
async function runFile(path: string, seed: string, cases: string): Promise<boolean> {
  const child = spawn(
    NODE,
    ["--import", import.meta.resolve("tsx"), "--test-reporter=spec", path],
    {
      cwd: ROOT,
      env: { ...process.env, FUZZ_SEED: seed, FUZZ_CASES: cases },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let words = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => words += text);
  }
  const startedMs = performance.now();
  const [code] = await once(child, "close") as [number | null];
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  process.stdout.write(`${path}: ${code === 0 ? "ok" : "FAILED"} (${seconds} s)\n${words}`);
  return code === 0;
}

async function main(): Promise<void> {
  const { seed, cases, files } = readOptions(process.argv.slice(2));
  process.stdout.write(`seed ${seed}, ${cases} cases for each reader\n`);
  const waiting = [...files];
  let failed = 0;
  const work = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (!await runFile(path, seed, cases)) failed++;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  process.stdout.write(`${files.length - failed} passed, ${failed} failed, 0 skipped\n`);
  if (failed > 0) process.exitCode = 1;
}

endChildrenAtSignals();
try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message.split("\n")[0]}\n`);
  process.exitCode = 2;
}
