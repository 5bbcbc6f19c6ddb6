/** `npm run faults -- --operations N …`: runs a load and faults from one seed against the stack. */
import process from "node:process";
import { runProgram } from "../../tools/programs/run_program.ts";
import { readNemesisOptions, type RunOptions } from "./options.ts";
import { reportRow, resultLines } from "./report.ts";
import { runNemesis } from "./run.ts";

const tell = (line: string) => process.stdout.write(`${line}\n`);
// A run continues when its output is closed.
process.stdout.on("error", () => {});

/** @returns the exit code */
async function main(): Promise<number> {
  let options: RunOptions;
  try {
    const drawSeed = () => crypto.getRandomValues(new Uint32Array(1))[0]!;
    options = readNemesisOptions(process.argv.slice(2), drawSeed);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [line] = error.message.split(/\.? To specify/);
    process.stderr.write(`${line}; see \`npm run faults -- --help\`\n`);
    return 2;
  }
  const interrupted = new AbortController();
  const { signal } = interrupted;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (!signal.aborted) tell("interrupted: what there is so far is judged");
      interrupted.abort();
    });
  }
  const result = await runNemesis(options, { signal, tell });
  for (const line of resultLines(result)) tell(line);
  const { stdout } = await runProgram("git", ["rev-parse", "--short", "HEAD"]);
  tell(reportRow(result, new Date().toISOString().slice(0, 10), stdout.trim()));
  if (result.violations.length > 0) return 1;
  return signal.aborted ? 130 : 0;
}

process.exit(await main());
