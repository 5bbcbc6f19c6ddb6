/**
 * `npm test` and `npm run faults`: the test files on the runtimes and databases of `matrix.ts`. Ends with the line `N passed, M failed, K skipped`. However it ends, no process
 * that it started is left.
 */
import process from "node:process";
import { ensureDeno } from "../setup.mjs";
import { havePrograms, type Programs } from "./have_programs.ts";
import { readTestOptions, type TestOptions, UsageError } from "./options.ts";
import type { PlannedRun } from "./file_run.ts";
import { planRuns, runTests } from "./run_tests.ts";
import { watchSources } from "./watch_sources.ts";

const FAILED = 1;
const WRONG_USE = 2;
const INTERRUPTED = 130;
const WATCHED = ["packages", "loadtest", "test", "tools", "docs"];

const tell = (line: string) => process.stdout.write(`${line}\n`);

/** Ends the run at the first signal; more of them change nothing, as npm and a terminal both send one. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => controller.abort());
  }
  // Who reads the output may end by the same Ctrl-C: that must not keep the run from ending its own.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return controller.signal;
}

async function main(): Promise<number> {
  const options = readTestOptions(process.argv.slice(2));
  const planned = planRuns(options);
  const signal = interruption();
  const deno = planned.some(({ on }) => on.runtime === "Deno") ? await ensureDeno() : "deno";
  const node = "Deno" in globalThis ? "node" : process.execPath;
  const ci = Boolean(process.env.CI);
  const programs = await havePrograms(planned, { signal, tell });
  const surroundings = { deno, node, programs, ci, signal, tell };
  try {
    const good = options.watch
      ? await runAgainAndAgain(planned, options, surroundings)
      : await runTests(planned, options, surroundings);
    return good === undefined ? INTERRUPTED : good ? 0 : FAILED;
  } finally {
    await programs.stop();
  }
}

async function runAgainAndAgain(
  planned: readonly PlannedRun[],
  options: TestOptions,
  surroundings: Parameters<typeof runTests>[2] & { programs: Programs },
): Promise<undefined> {
  const { signal } = surroundings;
  const sources = watchSources(WATCHED);
  const interrupted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  try {
    while (!signal.aborted) {
      await runTests(planned, options, surroundings);
      if (signal.aborted) return;
      tell("waiting for a change; Ctrl-C ends");
      await Promise.race([sources.changed(), interrupted]);
    }
  } finally {
    sources.close();
  }
}

try {
  process.exit(await main());
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}; see \`npm test -- --help\`\n`);
  process.exit(WRONG_USE);
}
