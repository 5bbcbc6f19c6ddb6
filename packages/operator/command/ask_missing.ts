import { camelOf, kebabOf } from "../case.ts";

/** The question for a flag that a command needs, and when it may be left out. */
export interface Asked {
  readonly question: string;
  /** The message where nobody can be asked; `--<flag> is needed` when left out. */
  readonly otherwise?: string;
  /** The command's last argument may be given instead. */
  readonly orArgument?: true;
}

interface Flag {
  readonly kind: string;
  readonly parse?: (input: string) => unknown;
  readonly asked?: Asked;
}

interface Positional {
  readonly placeholder?: string;
  readonly brief: string;
  readonly optional?: boolean;
  readonly parse: (input: string) => unknown;
}

/** The part of Stricli's tree of commands that is read here. */
export interface CommandNode {
  readonly getAllEntries?: () => readonly {
    readonly name: { readonly original: string };
    readonly target: CommandNode;
  }[];
  readonly parameters?: {
    readonly flags?: Readonly<Record<string, Flag>>;
    readonly positional?: { readonly parameters?: readonly Positional[] };
  };
}

/** Asks a question and returns the answer; `check` returns what is wrong with one, or undefined. */
export type Ask = (
  question: string,
  check: (answer: string) => string | undefined,
) => Promise<string>;

/** Nothing is asked with one of these flags: they run no command, or say that nobody can answer. */
const SILENT = ["--help", "-h", "--help-all", "--json", "--yes"];

/**
 * Asks for the arguments and flags that a command line lacks. A line that names no command, or has an
 * unknown flag, stays as it is, for the parser to refuse.
 *
 * @returns the command line, with the answers appended
 */
export async function askMissing(
  root: CommandNode,
  words: readonly string[],
  ask: Ask,
): Promise<readonly string[]> {
  const found = findCommand(root, words);
  if (found === undefined || words.some((word) => SILENT.includes(word))) return words;
  const { flags = {}, positional } = found.parameters!;
  const sorted = sort(found.rest, flags);
  if (sorted === undefined) return words;
  const taken = positional?.parameters ?? [];
  const missing = taken.slice(sorted.values).filter(({ optional }) => optional !== true);
  const answers: string[] = [];
  for (const { placeholder, brief, parse } of missing) {
    answers.push(await ask(`${placeholder}: ${brief}`, checking(parse)));
  }
  const isWhole = sorted.values + answers.length >= taken.length;
  for (const [name, { asked, parse = String }] of Object.entries(flags)) {
    if (asked === undefined || sorted.flags.has(name)) continue;
    if (asked.orArgument === true && isWhole) continue;
    answers.push(`--${kebabOf(name)}`, await ask(asked.question, checking(parse)));
  }
  return [...words, ...answers];
}

/**
 * The message about the first flag that a command needs and lacks; undefined when it has all of them.
 *
 * @param sorted.isWhole whether the command line has the command's last argument
 */
export function describeMissingFlag(
  flags: object,
  sorted: { flags: object; isWhole: boolean },
): string | undefined {
  for (const [name, flag] of Object.entries(flags)) {
    const { asked } = flag as Flag;
    if (asked === undefined || sorted.flags[name as never] !== undefined) continue;
    if (asked.orArgument === true && sorted.isWhole) continue;
    return asked.otherwise ?? `--${kebabOf(name)} is needed`;
  }
  return undefined;
}

function findCommand(root: CommandNode, words: readonly string[]) {
  let node = root;
  for (let index = 0;; index++) {
    if (node.parameters !== undefined) return { ...node, rest: words.slice(index) };
    const word = words[index];
    const entry = node.getAllEntries?.().find(({ name: { original } }) =>
      original === word || kebabOf(original) === word
    );
    if (entry === undefined) return undefined;
    node = entry.target;
  }
}

/** Counts the arguments and collects the names of the flags; undefined if a flag is unknown. */
function sort(
  words: readonly string[],
  flags: Readonly<Record<string, Flag>>,
): { values: number; flags: ReadonlySet<string> } | undefined {
  const seen = new Set<string>();
  let values = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (!word.startsWith("-")) {
      values += 1;
      continue;
    }
    const [text] = word.split("=", 1);
    const name = text!.startsWith("--") ? camelOf(text!.slice(2)) : "";
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) return undefined;
    seen.add(name);
    if (flag.kind !== "boolean" && !word.includes("=")) index += 1;
  }
  return { values, flags: seen };
}

/** Checks an answer as the parser checks the command line. */
function checking(parse: (input: string) => unknown): (answer: string) => string | undefined {
  return (answer) => {
    if (answer.trim() === "") return "it is needed";
    if (answer.startsWith("-")) return "it does not begin with a hyphen";
    try {
      parse(answer);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
}
