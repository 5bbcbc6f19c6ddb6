/** What a command has to do with the world around it. */
export interface Io {
  /** Writes a line. */
  print(line: string): void;
  /** Writes a line about what went wrong. */
  printError(line: string): void;
  /** Whether the output is a terminal that shows colours. */
  colours: boolean;
  /** All of the standard input. */
  readInput(): Promise<string>;
  /** Asks at the terminal without showing what is typed; undefined when there is no terminal. */
  askSecret(question: string): Promise<string | undefined>;
  /** Epoch milliseconds. */
  now(): number;
  /** Aborted by Ctrl-C and by SIGTERM. */
  interrupted: AbortSignal;
}

/** A command of `sabika-client`. */
export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** All that `--help` shows. */
  help: string;
  /** @returns the exit code: 0 done, 1 refused or failed */
  run(args: string[], io: Io): Promise<number>;
}

/** Wrong usage: exit code 2, and the way to the help. */
export class UsageError extends Error {}

/** What could not be done, in one line that says what to do: exit code 1. */
export class CommandError extends Error {}

/** Green on a terminal. */
export function good(io: Io, text: string): string {
  return io.colours ? `\x1b[32m${text}\x1b[39m` : text;
}

/** Red on a terminal. */
export function bad(io: Io, text: string): string {
  return io.colours ? `\x1b[31m${text}\x1b[39m` : text;
}

/** A line of a table with two columns. */
export function row(label: string, text: string): string {
  return `${label.padEnd(12)} ${text}`;
}
