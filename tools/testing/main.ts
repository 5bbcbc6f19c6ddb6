/**
 * `npm test`, `npm run faults` and `npm run fuzz`: the test files on the runtimes and databases of
 * `test_files.ts`. Prints the line `N passed, M failed, K skipped` at the end. However it ends, it leaves no
 * process behind.
 */
import process from "node:process";
import { endChildrenAtSignals } from "../programs/end_children_at_signals.ts";
import { ensureDeno } from "../setup.mjs";
import { readTestOptions, UsageError } from "./options.ts";
import { havePrograms } from "./have_programs.ts";
import { planRuns, runTests } from "./run_tests.ts";
import { watchSources } from "./watch_sources.ts";

const FAILED = 1;
const WRONG_USE = 2;

const tell = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  const options = readTestOptions(process.argv.slice(2));
  const planned = planRuns(options);
  const changed = options.watch ? watchSources() : undefined;
  const { FUZZ_SEED: seed, FUZZ_CASES: cases } = options.environment;
  if (seed !== undefined) tell(`seed ${seed}, ${cases} cases for each reader`);
  const interrupted = endChildrenAtSignals();
  // A reader of the output may end by the same Ctrl-C, which must not keep this process from cleaning up.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const surroundings = {
    interrupted,
    tell,
    deno: planned.some(({ on }) => on.runtime === "Deno") ? await ensureDeno() : "deno",
    node: "Deno" in globalThis ? "node" : process.execPath,
    programs: await havePrograms(planned, tell),
  };
  try {
    for (;;) {
      const isGood = await runTests(planned, options, surroundings);
      if (changed === undefined) return isGood;
      tell("waiting for a change; Ctrl-C ends");
      await changed();
    }
  } finally {
    await surroundings.programs.stop();
  }
}

try {
  process.exit(await main() ? 0 : FAILED);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}; see \`npm test -- --help\`\n`);
  process.exit(WRONG_USE);
}
