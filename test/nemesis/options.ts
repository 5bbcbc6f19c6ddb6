import { parseArgs } from "node:util";

/** One run of a load and faults against a stack of its own. */
export interface RunOptions {
  readonly operations: number;
  readonly faults: number;
  /** How many cells the stack has beside control; its partners are spread over them. */
  readonly cells: number;
  readonly seed: number;
  /** No call and no fault begins later. */
  readonly minutes: number;
  /** The folder of a build that the instances run; the source when left out. */
  readonly built?: string;
  /** Whether the first instance is neither killed nor restarted. */
  readonly isSparing?: boolean;
  /** The faults that strike, by their names; all if left out. */
  readonly only?: RegExp;
}

export interface RunSurroundings {
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

export interface NemesisOptions {
  /** Of all slices together. */
  readonly run: RunOptions;
  /** How many slices, each with a stack and a seed of its own. */
  readonly slices: number;
  /** The file that takes each slice's report. */
  readonly report: string | undefined;
  /** Whether a slice with a violation is the last. */
  readonly endsAtViolation: boolean;
}

/** Where `--report` alone writes to: the table of runs. */
export const TABLE_OF_RUNS = "docs/faults.md";

/**
 * Reads the arguments of `npm run faults -- --operations …`.
 *
 * @param chance a seed when there is none
 * @throws TypeError in one line that begins with the option
 */
export function readNemesisOptions(args: readonly string[], chance: () => number): NemesisOptions {
  const { values } = parseArgs({
    args: args.map((arg, at) =>
      arg === "--report" && (args[at + 1] ?? "--").startsWith("--")
        ? `${arg}=${TABLE_OF_RUNS}`
        : arg
    ),
    options: {
      operations: { type: "string" },
      faults: { type: "string", default: "0" },
      seed: { type: "string" },
      minutes: { type: "string", default: "1440" },
      slices: { type: "string", default: "1" },
      cells: { type: "string", default: "0" },
      built: { type: "string" },
      spare: { type: "boolean", default: false },
      report: { type: "string" },
      "end-at-violation": { type: "boolean", default: false },
    },
    strict: true,
    allowPositionals: false,
  });
  if (values.operations === undefined) {
    throw new TypeError("--operations N is missing: how many calls the run makes");
  }
  return {
    run: {
      operations: wholeNumber("--operations", values.operations, 1, 10_000_000),
      faults: wholeNumber("--faults", values.faults, 0, 100_000),
      cells: wholeNumber("--cells", values.cells, 0, 16),
      seed: values.seed === undefined
        ? chance()
        : wholeNumber("--seed", values.seed, 0, 2 ** 32 - 1),
      minutes: wholeNumber("--minutes", values.minutes, 1, 10_080),
      ...values.built !== undefined && { built: values.built },
      isSparing: values.spare,
    },
    slices: wholeNumber("--slices", values.slices, 1, 1_000),
    report: values.report,
    endsAtViolation: values["end-at-violation"],
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d{1,10}$/.test(text) || number < least || number > most) {
    throw new TypeError(`${name} ${text}: give a number from ${least} to ${most}`);
  }
  return number;
}
