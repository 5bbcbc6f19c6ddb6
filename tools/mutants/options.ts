import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../rules/repository_files.ts";

/** The options of `npm run mutants`. */
export interface MutantOptions {
  /** The names of rooms; none: all that are listed. */
  rooms: string[];
  languages: ("sql" | "ts")[];
  /** Mutates only lines that have changed since this commit. */
  changedSince: string | undefined;
  /** Mutates only these files, or one line of each. */
  at: { file: string; line: number | undefined }[];
  /** Where to write all results. */
  json: string | undefined;
  workers: number;
  /** Whether results of earlier runs are left out of account, and reasons too. */
  again: boolean;
}

/** Thrown for a wrong option; its message is shown to the user. */
export class UsageError extends Error {}

const DEFAULT_BASE = "main";

/**
 * Reads the arguments.
 *
 * @param isRoom whether a word names a room: `--changed` takes another one as its commit
 * @throws {UsageError} with a message of one line
 */
export function readMutantOptions(
  args: readonly string[],
  isRoom: (name: string) => boolean,
): MutantOptions {
  const { values, positionals } = parse(withBase(args, isRoom));
  const workers = Number(values.workers ?? Math.min(2, availableParallelism()));
  if (!Number.isInteger(workers) || workers < 1) throw new UsageError("--workers needs a number");
  const wrong = positionals.find((name) => !isRoom(name));
  if (wrong !== undefined) throw new UsageError(`no room is called ${wrong}`);
  const both = values.sql === values.typescript;
  return {
    rooms: positionals,
    languages: [
      ...(both || values.sql ? ["sql" as const] : []),
      ...(both || values.typescript ? ["ts" as const] : []),
    ],
    changedSince: values.changed,
    at: (values.at ?? []).map(readPlace),
    json: values.json,
    workers,
    again: values.again,
  };
}

/** Gives `--changed` its commit, which may be left out. */
function withBase(args: readonly string[], isRoom: (name: string) => boolean): string[] {
  return args.flatMap((arg, n) => {
    if (arg !== "--changed") return [arg];
    const next = args[n + 1];
    const hasBase = next !== undefined && !next.startsWith("-") && !isRoom(next);
    return [hasBase ? arg : `--changed=${DEFAULT_BASE}`];
  });
}

function parse(args: string[]) {
  const flag = { type: "boolean", default: false } as const;
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        sql: flag,
        typescript: flag,
        again: flag,
        changed: text,
        json: text,
        workers: text,
        at: { type: "string", multiple: true },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\.? To specify|\n/)[0]);
  }
}

function readPlace(place: string): MutantOptions["at"][number] {
  const [, file = place, line] = /^(.*?)(?::(\d+))?$/.exec(place) ?? [];
  if (!/\.(sql|tsx?)$/.test(file) || !existsSync(join(ROOT, file))) {
    throw new UsageError(`--at needs a source file, not ${file}`);
  }
  return { file, line: line === undefined ? undefined : Number(line) };
}
