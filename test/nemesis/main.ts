/** `npm run faults -- --operations N …`: a load and faults from one seed against the stack. */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../tools/programs/run_program.ts";
import { readNemesisOptions, TABLE_OF_RUNS } from "./options.ts";
import { reportRow, resultLines } from "./report.ts";
import { runNemesis, type RunResult } from "./run.ts";

const FAILED = 1;
const WRONG_USE = 2;
const INTERRUPTED = 130;
const PAGE = fileURLToPath(new URL(`../../${TABLE_OF_RUNS}`, import.meta.url));
/** The row under the heading of the table of runs. */
const HEAD_OF_RUNS = /(\| date \| commit \| seed \|.*\n\|[-|]+\|\n)/;

const tell = (line: string) => process.stdout.write(`${line}\n`);
// A run of a night goes on when whoever reads along has gone.
process.stdout.on("error", () => {});

/** Makes all slices, each with its share of the calls and of the faults, and the next seed. */
async function main(): Promise<number> {
  const { run, slices, report, endsAtViolation } = readNemesisOptions(
    process.argv.slice(2),
    () => crypto.getRandomValues(new Uint32Array(1))[0]!,
  );
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (!interrupted.signal.aborted) tell("interrupted: what there is so far is judged");
      interrupted.abort();
    });
  }
  const { signal } = interrupted;
  const endMs = Date.now() + run.minutes * 60_000;
  let isBroken = false;
  for (let slice = 0; slice < slices && !signal.aborted && Date.now() < endMs; slice++) {
    const share = (total: number) =>
      Math.floor(total * (slice + 1) / slices) - Math.floor(total * slice / slices);
    const options = {
      ...run,
      operations: Math.max(1, share(run.operations)),
      faults: share(run.faults),
      seed: (run.seed + slice) % 2 ** 32,
      minutes: (endMs - Date.now()) / 60_000,
    };
    if (slices > 1) tell(`slice ${slice + 1} of ${slices}`);
    const result = await runNemesis(options, { signal, tell }).catch((error: Error) => error);
    const isWrong = result instanceof Error || result.violations.length > 0;
    await finish(result, options.seed, report);
    isBroken ||= isWrong;
    if (endsAtViolation && isWrong) break;
  }
  if (isBroken) return FAILED;
  return signal.aborted ? INTERRUPTED : 0;
}

/** Prints what a slice came to, and adds it to a file: a row to the table of runs, all to any other. */
async function finish(
  result: RunResult | Error,
  seed: number,
  report: string | undefined,
): Promise<void> {
  const lines = result instanceof Error
    ? [`seed ${seed} broke off: ${result.stack}`]
    : resultLines(result);
  for (const line of lines) tell(line);
  if (report === undefined) return;
  const { stdout } = await runProgram("git", ["rev-parse", "--short", "HEAD"]);
  const [date, commit] = [new Date().toISOString().slice(0, 10), stdout.trim()];
  if (report !== TABLE_OF_RUNS) {
    const text = [`## ${date}, ${commit}, seed ${seed}`, "", ...lines].join("\n");
    return await appendFile(report, `\n${text}\n`);
  }
  if (result instanceof Error) return;
  const row = reportRow(result, date, commit);
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
