import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Measure } from "./measure.ts";
import { MEASURES } from "./measures/mod.ts";

/** The options of `npm run bench` (help.txt): undefined, or an empty `only`, stands for a missing option. */
export interface BenchOptions {
  quick: boolean;
  rounds: number;
  /** The duration of each measurement in a round. */
  seconds: number;
  rows: number | undefined;
  against: string | undefined;
  json: string | undefined;
  only: readonly string[];
  help: boolean;
}

/** Thrown for invalid arguments; its message is shown to the user. */
export class WrongUsage extends Error {}

/** Reads the arguments; throws WrongUsage if they are invalid. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseOrRefuse(args);
  const quick = values.quick ?? false;
  const rounds = Number(values.rounds ?? (quick ? 2 : 5));
  if (!Number.isInteger(rounds) || rounds < 1) throw new WrongUsage("--rounds takes 1 or more");
  const seconds = Number(values.seconds ?? (quick ? 2 : 5));
  if (!Number.isInteger(seconds) || seconds < 1) throw new WrongUsage("--seconds takes 1 or more");
  const rows = values.rows === undefined ? undefined : Number(values.rows);
  if (rows !== undefined && !(Number.isInteger(rows) && rows >= 1000)) {
    throw new WrongUsage("--rows takes 1000 or more");
  }
  const only = values.only ?? (values.against === undefined ? [] : ["cost"]);
  for (const name of only) {
    if (!MEASURES.some((measure) => measure.name === name)) {
      const known = MEASURES.map((measure) => measure.name).join(", ");
      throw new WrongUsage(`there is no measure "${name}"; there are: ${known}`);
    }
  }
  return {
    quick,
    rounds,
    seconds,
    rows,
    against: values.against,
    json: values.json,
    only,
    help: values.help ?? false,
  };
}

function parseOrRefuse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean" },
        rounds: { type: "string" },
        seconds: { type: "string" },
        rows: { type: "string" },
        against: { type: "string" },
        json: { type: "string" },
        only: { type: "string", multiple: true },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}

/** Returns the measures that the options choose, in the order in which they run. */
export function chooseMeasures(
  { only, quick }: Pick<BenchOptions, "only" | "quick">,
): readonly Measure[] {
  return MEASURES.filter(({ name, long, onlyNamed }) =>
    only.length > 0 ? only.includes(name) : !onlyNamed && !(quick && long)
  );
}

/** Reads the help text of `npm run bench`. */
export function help(): string {
  return readFileSync(new URL("./help.txt", import.meta.url), "utf8");
}
