/** `npm run faults -- --operations N …`: a load and faults from one seed against the stack. */
import process from "node:process";
import { runProgram } from "../../tools/programs/run_program.ts";
import { readNemesisOptions } from "./options.ts";
import { reportRow, resultLines } from "./report.ts";
import { runNemesis } from "./run.ts";

const FAILED = 1;
const WRONG_USE = 2;
const INTERRUPTED = 130;

const tell = (line: string) => process.stdout.write(`${line}\n`);
// A run of a night goes on when whoever reads along has gone.
process.stdout.on("error", () => {});

async function main(): Promise<number> {
  const options = readNemesisOptions(
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
  const result = await runNemesis(options, { signal, tell });
  for (const line of resultLines(result)) tell(line);
  const { stdout } = await runProgram("git", ["rev-parse", "--short", "HEAD"]);
  tell(reportRow(result, new Date().toISOString().slice(0, 10), stdout.trim()));
  if (result.violations.length > 0) return FAILED;
  return signal.aborted ? INTERRUPTED : 0;
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
