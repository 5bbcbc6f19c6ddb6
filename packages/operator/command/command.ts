import {
  type BaseArgs,
  buildCommand,
  type Command,
  type FlagParametersForType,
} from "@stricli/core";
import type { CommonFlags } from "../connect/common_flags.ts";
import { Session } from "../connect/session.ts";
import type { Context } from "../context.ts";
import { type Asked, describeMissingFlag } from "./ask_missing.ts";
import { type Json, writeJson } from "./json.ts";
import { describeError, ShownError, UsageError } from "../outcome.ts";
import { text } from "./parsers.ts";

/** A command's output: JSON for machines, text for people; `failed` makes the exit code 1. */
export interface Shown {
  json: Json;
  text: string;
  failed?: boolean;
}

/** A positional argument: name (with `?` when optional), description, and how it is read. */
export type Argument = readonly [
  placeholder: string,
  brief: string,
  read?: (input: string) => unknown,
];

/** A command of the operator. */
export interface Definition<FLAGS extends object, ARGS extends BaseArgs> {
  /** One line in the list of commands. */
  brief: string;
  /** Further help, if needed. */
  more?: string;
  /** At least one full command line, without `sabika`. */
  examples: readonly string[];
  flags?: FlagParametersForType<FLAGS, Context>;
  args?: readonly Argument[];
  run: (session: Session, flags: FLAGS & CommonFlags, ...args: ARGS) => Promise<Shown>;
}

/** Makes a command: adds the common flags, runs it, shows its output and closes what it opened. */
export function command<FLAGS extends object, ARGS extends BaseArgs>(
  definition: Definition<FLAGS, ARGS>,
): Command<Context> {
  const examples = definition.examples.map((line) => `  sabika ${line}`).join("\n");
  const flags = { ...definition.flags, ...COMMON_FLAGS };
  const build = buildCommand as unknown as (builder: object) => Command<Context>;
  return build({
    docs: {
      brief: definition.brief,
      fullDescription: [
        definition.brief,
        ...(definition.more === undefined ? [] : [definition.more]),
        `EXAMPLES\n${examples}`,
      ].join("\n\n"),
    },
    parameters: {
      flags,
      positional: {
        kind: "tuple",
        parameters: (definition.args ?? []).map(([placeholder, brief, read = text]) => ({
          brief,
          parse: read,
          placeholder: placeholder.replace("?", ""),
          optional: placeholder.endsWith("?"),
        })),
      },
    },
    async func(this: Context, flags: FLAGS & CommonFlags, ...args: ARGS): Promise<void> {
      let session: Session | undefined;
      let shown: Shown;
      try {
        session = new Session(flags, this.surroundings);
        const missing = describeMissingFlag(definition.flags ?? {}, {
          flags,
          isWhole: args.at((definition.args?.length ?? 0) - 1) !== undefined,
        });
        if (missing !== undefined) throw new UsageError(missing);
        shown = await definition.run(session, flags, ...args);
      } catch (error) {
        throw new ShownError(describeError(error, flags.json), { cause: error });
      } finally {
        await session?.close();
      }
      this.process.stdout.write(flags.json ? writeJson(shown.json) : shown.text);
      if (shown.failed === true) throw new ShownError("");
    },
  });
}

/** A flag with a text value. */
export const textFlag = (brief: string, placeholder: string) =>
  ({ kind: "parsed", parse: text, brief, placeholder, optional: true }) as const;

/** A flag without a value. */
export const switchFlag = (brief: string) =>
  ({ kind: "boolean", brief, default: false, withNegated: false }) as const;

/** A flag whose value is parsed. */
export const readFlag = <T>(read: (input: string) => T, brief: string, placeholder: string) =>
  ({ kind: "parsed", parse: read, brief, placeholder, optional: true }) as const;

/**
 * A flag that the command needs: at a terminal it is asked for, elsewhere its absence is refused. The
 * parser takes it for optional, so that only one place refuses it.
 */
export const neededFlag = <T>(
  read: (input: string) => T,
  brief: string,
  placeholder: string,
  asked: Asked,
) => ({ ...readFlag(read, brief, placeholder), asked } as unknown as Needed<T>);

/** A flag that is needed unless the command's last argument is given instead. */
export const orArgument = <F extends object>(flag: F, asked: Asked): F =>
  Object.assign({}, flag, { asked: { ...asked, orArgument: true } });

interface Needed<T> {
  readonly kind: "parsed";
  readonly parse: (input: string) => T;
  readonly brief: string;
  readonly placeholder: string;
}

const COMMON_FLAGS: FlagParametersForType<CommonFlags, Context> = {
  data: textFlag("The service's data folder (.sabika, or SABIKA_DATA)", "FOLDER"),
  databaseUrl: textFlag("Its PostgreSQL instead (or SABIKA_DATABASE_URL, …_FILE)", "URL"),
  masterKeyFile: textFlag("Master keys (master.key of the data folder)", "FILE"),
  adminUrl: textFlag("The operator's office, in place of a database (or SABIKA_ADMIN_URL)", "URL"),
  adminAuthority: textFlag(
    "Who certified the office, PEM, if no public authority (or SABIKA_ADMIN_AUTHORITY_FILE)",
    "FILE",
  ),
  environment: {
    kind: "enum",
    values: ["sandbox", "production"],
    brief: "What the database must be; a new one becomes it (or SABIKA_ENVIRONMENT)",
    optional: true,
  },
  baseUrl: textFlag("The address that partners call, for their kits (or SABIKA_BASE_URL)", "URL"),
  as: textFlag("Who does it, for the audit log (the user, or SABIKA_OPERATOR)", "NAME"),
  operatorKey: textFlag(
    "Your own key, which signs what you do (or SABIKA_OPERATOR_KEY_FILE)",
    "FILE",
  ),
  breakGlass: textFlag(
    "In an emergency: do it without a person, as a database role that may, because",
    "REASON",
  ),
  json: switchFlag("Show JSON, for machines"),
  yes: switchFlag("Ask nothing"),
};
