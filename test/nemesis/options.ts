import { parseArgs } from "node:util";

export interface RunOptions {
  readonly operations: number;
  readonly faults: number;
  readonly seed: number;
  /** No call and no fault begins later. */
  readonly minutes: number;
  readonly instances: number;
  /** How long is waited for webhooks when all calls are over. */
  readonly deliverySeconds: number;
}

export interface NemesisOptions extends RunOptions {
  /** Adds the run's row to `docs/faults.md`. */
  readonly report: boolean;
}

/**
 * Reads the arguments of `npm run faults -- --operations …`.
 *
 * @param chance a seed when none is given
 * @throws TypeError in one line that begins with the option
 */
export function readNemesisOptions(args: readonly string[], chance: () => number): NemesisOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      operations: { type: "string" },
      faults: { type: "string", default: "0" },
      seed: { type: "string" },
      minutes: { type: "string", default: "1440" },
      cells: { type: "string" },
      report: { type: "boolean", default: false },
    },
    strict: true,
    allowPositionals: false,
  });
  if (values.cells !== undefined) {
    throw new TypeError("--cells: a deployment has one database so far (Decision D53)");
  }
  if (values.operations === undefined) {
    throw new TypeError("--operations N is missing: how many calls the run makes");
  }
  return {
    operations: wholeNumber("--operations", values.operations, 1, 10_000_000),
    faults: wholeNumber("--faults", values.faults, 0, 100_000),
    seed: values.seed === undefined ? chance() : wholeNumber("--seed", values.seed, 0, 2 ** 32 - 1),
    minutes: wholeNumber("--minutes", values.minutes, 1, 10_080),
    instances: 2,
    deliverySeconds: 600,
    report: values.report,
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d{1,10}$/.test(text) || number < least || number > most) {
    throw new TypeError(`${name} ${text}: give a number from ${least} to ${most}`);
  }
  return number;
}
