import { camelOf, kebabOf } from "../case.ts";

/** What is asked when a flag that a command needs is missing. */
export interface Asked {
  readonly question: string;
  /** What is said where nobody can be asked, if not only that it is needed. */
  readonly otherwise?: string;
  /** The command's last argument may stand for it. */
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

/** What is read of the tree of commands. */
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

/** Asks somebody; `check` says what is wrong with an answer. */
export type Ask = (
  question: string,
  check: (answer: string) => string | undefined,
) => Promise<string>;

/** With one of these nothing is asked: they want no command, or say that nobody is there to answer. */
const SILENT = ["--help", "-h", "--help-all", "--json", "--yes"];

/**
 * Asks for the arguments and flags that a command line lacks. It is left as it is when it names no
 * command, or has a flag that the command has not: then it is refused as it stands.
 *
 * @returns the command line with the answers behind it
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
 * What is to be said of the flag that a command needs and has not; undefined when it has all.
 *
 * @param given.isWhole whether it has its last argument
 */
export function whatIsMissing(
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

/** How many words are arguments, and which flags there are; undefined with one that is unknown. */
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

/** An answer is judged as the command line would be. */
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
