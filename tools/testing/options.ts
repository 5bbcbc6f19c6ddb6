import { parseArgs } from "node:util";

export type TestOptions = ReturnType<typeof readTestOptions>;

/** A wrong option or path, in words for the person who typed it. */
export class UsageError extends Error {}

const RUNTIMES = { node: "Node", deno: "Deno" } as const;
const DATABASES = { pglite: "PGlite", postgresql: "PostgreSQL" } as const;

/**
 * Reads the arguments of `npm test` and `npm run faults`.
 *
 * @throws {UsageError} in one line
 */
export function readTestOptions(args: readonly string[]) {
  const { values, positionals } = parse(args);
  if (values.name === "") throw new UsageError("--name needs a text");
  if (values.long && !values.faults) throw new UsageError("--long is of npm run faults alone");
  return {
    /** Files and folders; none: all tests. */
    paths: positionals,
    /** Keeps one runtime, one database. */
    only: {
      runtime: choose("--runtime", values.runtime, RUNTIMES),
      database: choose("--database", values.database, DATABASES),
    },
    /** Keeps the tests whose names contain it. */
    name: values.name,
    /** Run again whenever a source file changes. */
    watch: values.watch,
    /** Each file runs on every runtime and database that it can. */
    all: values.all,
    /** Print how long each file took. */
    times: values.times,
    /** The fault tests instead of all others. */
    faults: values.faults,
    /** The sizes that the catalogue of faults asks for, of all tests that have them. */
    long: values.long,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        runtime: { type: "string" },
        database: { type: "string" },
        name: { type: "string" },
        watch: { type: "boolean", default: false },
        all: { type: "boolean", default: false },
        times: { type: "boolean", default: false },
        faults: { type: "boolean", default: false },
        long: { type: "boolean", default: false },
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
