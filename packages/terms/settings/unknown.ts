import { SETTINGS } from "./table.ts";

const PREFIX = "SABIKA_";
/** Variables that test runs pass to the processes that they start. */
const OF_TESTS = /^SABIKA_(?:TEST_\w+|RUN|FAULT_SEED)$/;
/** Variables that Kubernetes adds for a Service whose name begins with `sabika`. */
const SERVICE_LINK = /_(?:SERVICE_(?:HOST|PORT\w*)|PORT(?:_\d+_(?:TCP|UDP|SCTP)\w*)?)$/;
/** The most differing letters of a name that is suggested. */
const FARTHEST_GUESS = 4;

/**
 * Why environment variables are refused: one of them begins with `SABIKA_` and no program reads it, so
 * what it was meant to set would silently keep its default.
 *
 * @param env such as `process.env`
 * @returns one line with the likely right name and no value; undefined when all is well
 */
export function whyUnknown(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const unknown = Object.keys(env).filter((name) =>
    name.startsWith(PREFIX) && env[name] !== undefined && !Object.hasOwn(SETTINGS, name) &&
    !OF_TESTS.test(name) && !SERVICE_LINK.test(name)
  ).sort();
  if (unknown.length === 0) return undefined;
  return unknown.map((name) => `${name} is no setting${guess(name)}`).join("; ") +
    " (docs/settings.md lists all)";
}

function guess(name: string): string {
  const [nearest] = Object.keys(SETTINGS).filter((known) => known.startsWith(PREFIX))
    .map((known) => ({ known, distance: distanceOf(name, known) }))
    .sort((first, other) => first.distance - other.distance);
  return nearest!.distance <= FARTHEST_GUESS ? `: did you mean ${nearest!.known}?` : "";
}

/** Levenshtein's distance: how many letters must be inserted, deleted or replaced. */
function distanceOf(first: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...first].entries()) {
    const next = [line + 1];
    for (const [column, wanted] of [...other].entries()) {
      next.push(
        Math.min(
          row[column]! + Number(letter !== wanted),
          row[column + 1]! + 1,
          next[column]! + 1,
        ),
      );
    }
    row = next;
  }
  return row.at(-1)!;
}
