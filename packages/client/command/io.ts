/** The surroundings of a command: terminal, input, clock and signals. */
export interface Io {
  /** Writes a line to the standard output. */
  print(line: string): void;
  /** Writes a line to the standard error. */
  printError(line: string): void;
  /** Whether the output is a terminal that shows colours. */
  colours: boolean;
  /** Reads the whole standard input. */
  readInput(): Promise<string>;
  /** Asks at the terminal without echo; undefined if there is no terminal. */
  askSecret(question: string): Promise<string | undefined>;
  /** The environment variables. */
  env: Readonly<Record<string, string | undefined>>;
  /** The clock, in epoch milliseconds. */
  now(): number;
  /** Aborted by Ctrl-C and by SIGTERM. */
  interrupted: AbortSignal;
}

/** A command of `sabika-client`. */
export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** The text that `--help` shows. */
  help: string;
  /** @returns the exit code: 0 done, 1 refused or failed */
  run(args: string[], io: Io): Promise<number>;
}

/** Thrown for wrong usage: exit code 2, with a reference to the help. */
export class UsageError extends Error {}

/** Thrown for a failure with a one-line message that says what to do: exit code 1. */
export class CommandError extends Error {}

/** Makes a text green on a terminal with colours. */
export function good(io: Io, text: string): string {
  return io.colours ? `\x1b[32m${text}\x1b[39m` : text;
}

/** Makes a text red on a terminal with colours. */
export function bad(io: Io, text: string): string {
  return io.colours ? `\x1b[31m${text}\x1b[39m` : text;
}

/** Formats a line of a table with two columns. */
export function row(label: string, text: string): string {
  return `${label.padEnd(12)} ${text}`;
}
