/** `npm run faults -- --operations N …`: a load and faults from one seed against the stack. */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../tools/programs/run_program.ts";
import { readNemesisOptions } from "./options.ts";
import { reportRow, resultLines } from "./report.ts";
import { runNemesis, type RunResult } from "./run.ts";

const FAILED = 1;
const WRONG_USE = 2;
const INTERRUPTED = 130;
const PAGE = fileURLToPath(new URL("../../docs/faults.md", import.meta.url));
/** The row under the heading of the table of runs. */
const HEAD_OF_RUNS = /(\| date \| commit \| seed \|.*\n\|[-|]+\|\n)/;

const tell = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readNemesisOptions(
    process.argv.slice(2),
    () => crypto.getRandomValues(new Uint32Array(1))[0]!,
  );
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (!interrupted.signal.aborted) tell("interrupted: every process is ended");
      interrupted.abort();
    });
  }
  const { signal } = interrupted;
  const result = await runNemesis(options, { now: Date.now, signal, tell });
  for (const line of resultLines(result)) tell(line);
  if (options.report) await addToReport(result);
  if (result.violations.length > 0) return FAILED;
  return signal.aborted ? INTERRUPTED : 0;
}

async function addToReport(result: RunResult): Promise<void> {
  const { stdout } = await runProgram("git", ["rev-parse", "--short", "HEAD"]);
  const date = new Date().toISOString().slice(0, 10);
  const row = reportRow(result, date, stdout.trim());
  const page = await readFile(PAGE, "utf8");
  if (!HEAD_OF_RUNS.test(page)) throw new Error("docs/faults.md has no table of runs");
  await writeFile(PAGE, page.replace(HEAD_OF_RUNS, `$1${row}\n`));
  tell(`added to docs/faults.md: ${row}`);
}

try {
  process.exit(await main());
} catch (error) {
  const { message } = error as Error;
  const isWrongUse = error instanceof TypeError && /^--|'--/.test(message.slice(0, 60));
  if (!isWrongUse && !/Unknown option|Unexpected argument/.test(message)) throw error;
  process.stderr.write(`${message.split(/\.? To specify/)[0]}; see \`npm run faults -- --help\`\n`);
  process.exit(WRONG_USE);
}
