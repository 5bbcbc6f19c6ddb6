import { parseArgs } from "node:util";

/** The options of a run: a load and faults against a new stack. */
export interface RunOptions {
  readonly operations: number;
  readonly faults: number;
  /** How many cells the stack has besides control; the partners are spread over them. */
  readonly cells: number;
  /** Whether the database is a cluster that Patroni fails over; without cells alone. */
  readonly ha?: boolean;
  readonly seed: number;
  /** The minutes after which no call and no fault begins. */
  readonly minutes: number;
  /** The folder of a build that the instances run; by default they run the source. */
  readonly built?: string;
  /** Matches the names of the faults that strike; by default all do. */
  readonly only?: RegExp;
}

/** The signal that ends a run early, and the function that shows its progress. */
export interface RunSurroundings {
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/**
 * Reads the arguments of `npm run faults -- --operations …`.
 *
 * @param chance draws a seed if no option sets it
 * @throws TypeError with a message of one line that begins with the option
 */
export function readNemesisOptions(args: readonly string[], chance: () => number): RunOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      operations: { type: "string" },
      faults: { type: "string", default: "0" },
      seed: { type: "string" },
      minutes: { type: "string", default: "1440" },
      cells: { type: "string", default: "0" },
      ha: { type: "boolean", default: false },
      built: { type: "string" },
    },
  });
  if (values.operations === undefined) {
    throw new TypeError("--operations N is missing: how many calls the run makes");
  }
  const cells = wholeNumber("--cells", values.cells, 0, 16);
  if (values.ha && cells > 0) throw new TypeError("--ha has no cells: leave out --cells");
  return {
    operations: wholeNumber("--operations", values.operations, 1, 10_000_000),
    faults: wholeNumber("--faults", values.faults, 0, 100_000),
    cells,
    ha: values.ha,
    seed: values.seed === undefined ? chance() : wholeNumber("--seed", values.seed, 0, 2 ** 32 - 1),
    minutes: wholeNumber("--minutes", values.minutes, 1, 10_080),
    ...values.built !== undefined && { built: values.built },
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new TypeError(`${name} ${text}: give a number from ${least} to ${most}`);
}
