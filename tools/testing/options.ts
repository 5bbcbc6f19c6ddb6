import { parseArgs } from "node:util";
import type { MatrixChoice } from "./test_files.ts";

/** The options of `npm test`, `npm run faults` and `npm run fuzz`. */
export interface TestOptions extends MatrixChoice {
  /** Files and folders; none: all tests. */
  paths: string[];
  /** Runs only the tests whose names contain this text. */
  name: string | undefined;
  /** Whether to run again whenever a source file changes. */
  watch: boolean;
  /** Whether to print the time of each file. */
  times: boolean;
  /** Whether to run the fault tests instead of all others. */
  faults: boolean;
  /** Only the fuzz tests, with this many cases. */
  fuzz: boolean;
  /** Whether tests use the sizes of the catalogue of faults. */
  long: boolean;
  /** Environment variables that pass these options on to the tests. */
  environment: Record<string, string>;
}

/** Thrown for a wrong option or path; its message is shown to the user. */
export class UsageError extends Error {}

const RUNTIMES = { node: "Node", deno: "Deno" } as const;
const DATABASES = { pglite: "PGlite", postgresql: "PostgreSQL" } as const;
const SEEDS = 2 ** 32;

/**
 * Reads the arguments of `npm test`, `npm run faults` and `npm run fuzz`.
 *
 * @throws {UsageError} with a message of one line
 */
export function readTestOptions(args: readonly string[]): TestOptions {
  const { values, positionals } = parse(args);
  const { runtime, database, name, seed, cases, ...flags } = values;
  if (name === "") throw new UsageError("--name needs a text");
  if (flags.long && !flags.faults) throw new UsageError("--long is of npm run faults alone");
  if (!flags.fuzz && (seed ?? cases) !== undefined) {
    throw new UsageError("--seed and --cases are of npm run fuzz alone");
  }
  const [anySeed] = crypto.getRandomValues(new Uint32Array(1));
  return {
    ...flags,
    paths: positionals,
    runtime: choose("--runtime", runtime, RUNTIMES),
    database: choose("--database", database, DATABASES),
    name,
    environment: {
      ...(flags.long && { SABIKA_TEST_LONG: "1" }),
      ...(flags.fuzz && {
        FUZZ_SEED: wholeNumber("--seed", seed ?? String(anySeed)),
        FUZZ_CASES: wholeNumber("--cases", cases ?? "1000000"),
      }),
    },
  };
}

function parse(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        runtime: text,
        database: text,
        name: text,
        seed: text,
        cases: text,
        watch: flag,
        all: flag,
        times: flag,
        faults: flag,
        fuzz: flag,
        long: flag,
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\.? To specify|\n/)[0]);
  }
}

function choose<T extends string>(
  option: string,
  value: string | undefined,
  choices: Readonly<Record<string, T>>,
): T | undefined {
  if (value === undefined || Object.hasOwn(choices, value)) return choices[value ?? ""];
  throw new UsageError(`${option} is ${Object.keys(choices).join(" or ")}, not ${value}`);
}

function wholeNumber(option: string, value: string): string {
  if (/^[0-9]{1,10}$/.test(value) && Number(value) < SEEDS) return value;
  throw new UsageError(`${option} is a whole number below ${SEEDS}, not ${value}`);
}
