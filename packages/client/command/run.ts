import { KitError } from "../kit_error.ts";
import { SabikaError } from "../sabika_error.ts";
import { VERSION } from "../version.ts";
import { events } from "./events.ts";
import { flow } from "./flow.ts";
import { bad, type Command, CommandError, type Io, UsageError } from "./io.ts";
import { keys } from "./keys.ts";
import { listen } from "./listen.ts";
import { probe } from "./probe.ts";
import { rehearse } from "./rehearse.ts";
import { sign } from "./sign.ts";
import { trigger } from "./trigger.ts";
import { verify } from "./verify.ts";

const COMMANDS: Readonly<Record<string, Command>> = {
  keys,
  probe,
  flow,
  listen,
  events,
  verify,
  sign,
  trigger,
  rehearse,
};

const HELP = `The Sabika partner's command: keys, first calls and webhooks.

  sabika-client COMMAND [OPTIONS]

${
  Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`)
    .join("\n")
}

  --help     this text; behind a command, all about it
  --version  the version of the package

Exit code 0: done, 1: refused or failed, 2: wrong usage, 130: interrupted.`;

/** Runs a command line; returns the exit code. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const [name = "", ...rest] = args;
  if (name === "--version") io.print(VERSION);
  else if (name === "--help" || name === "-h") io.print(HELP);
  else if (!Object.hasOwn(COMMANDS, name)) return wrongUsage(io, unknown(name), "");
  else if (rest.includes("--help") || rest.includes("-h")) io.print(COMMANDS[name]!.help);
  else return await runCommand(name, rest, io);
  return 0;
}

async function runCommand(name: string, args: string[], io: Io): Promise<number> {
  try {
    return await COMMANDS[name]!.run(args, io);
  } catch (error) {
    if (io.interrupted.aborted) {
      io.printError("interrupted");
      return 130;
    }
    if (error instanceof UsageError || isParseArgsError(error)) {
      return wrongUsage(io, error.message, ` ${name}`);
    }
    const isExpected = error instanceof KitError || error instanceof SabikaError ||
      error instanceof CommandError;
    if (!isExpected) throw error;
    io.printError(bad(io, error.message));
    return 1;
  }
}

function unknown(name: string): string {
  return name === "" ? "a command is needed" : `there is no command ${name}`;
}

function wrongUsage(io: Io, message: string, command: string): number {
  io.printError(`${bad(io, message)}\nsee sabika-client${command} --help`);
  return 2;
}

function isParseArgsError(error: unknown): error is Error {
  return error instanceof Error &&
    String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS");
}
