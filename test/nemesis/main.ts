/** `npm run faults -- --operations N …`: a load and faults from one seed against the stack. */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../tools/programs/run_program.ts";
import { readNemesisOptions, TABLE_OF_RUNS } from "./options.ts";
import { reportRow, resultLines, sliceLines, totalLine } from "./report.ts";
import { isBroken, runSlices, type Slice } from "./slices.ts";

const FAILED = 1;
const WRONG_USE = 2;
const INTERRUPTED = 130;
const PAGE = fileURLToPath(new URL(`../../${TABLE_OF_RUNS}`, import.meta.url));
/** The row under the heading of the table of runs. */
const HEAD_OF_RUNS = /(\| date \| commit \| seed \|.*\n\|[-|]+\|\n)/;

const tell = (line: string) => process.stdout.write(`${line}\n`);
// A run of a night goes on when whoever reads along has gone.
process.stdout.on("error", () => {});

async function main(): Promise<number> {
  const options = readNemesisOptions(
    process.argv.slice(2),
    () => crypto.getRandomValues(new Uint32Array(1))[0]!,
  );
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (!interrupted.signal.aborted) tell("interrupted: what there is so far is judged");
      interrupted.abort();
    });
  }
  const { signal } = interrupted;
  const { report } = options;
  const slices = await runSlices(options, { now: Date.now, signal, tell }, async (slice) => {
    const { came } = slice;
    for (const line of came instanceof Error ? [String(came.stack)] : resultLines(came)) tell(line);
    if (report !== undefined) await addToReport(report, slice);
  });
  if (slices.length > 1) {
    const total = totalLine(slices);
    tell(total);
    if (report !== undefined && report !== TABLE_OF_RUNS) await appendFile(report, `\n${total}\n`);
  }
  if (slices.some(isBroken)) return FAILED;
  return signal.aborted ? INTERRUPTED : 0;
}

/** Adds a row to the table of runs, or all that a slice came to to a file of its own. */
async function addToReport(report: string, slice: Slice): Promise<void> {
  const { stdout } = await runProgram("git", ["rev-parse", "--short", "HEAD"]);
  const [date, commit] = [new Date().toISOString().slice(0, 10), stdout.trim()];
  if (report !== TABLE_OF_RUNS) {
    return await appendFile(report, `${sliceLines(slice, date, commit).join("\n")}\n`);
  }
  if (slice.came instanceof Error) return;
  const row = reportRow(slice.came, date, commit);
  const page = await readFile(PAGE, "utf8");
  if (!HEAD_OF_RUNS.test(page)) throw new Error(`${TABLE_OF_RUNS} has no table of runs`);
  await writeFile(PAGE, page.replace(HEAD_OF_RUNS, `$1${row}\n`));
  tell(`added to ${TABLE_OF_RUNS}: ${row}`);
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
