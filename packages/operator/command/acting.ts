import type { ArgumentsOf, CarriedName, ResultOf } from "@sabika/office/acts";
import { confirm } from "./ask.ts";
import { type Argument, command } from "./command.ts";
import type { Json } from "./json.ts";

/** A command whose arguments are exactly those of its act. */
interface Verb<N extends CarriedName> {
  /** One line in the list of commands. */
  readonly brief: string;
  readonly more?: string | undefined;
  /** At least one full command line, without `sabika`. */
  readonly examples: readonly string[];
  /** All arguments of the act by name, in their order on the command line. */
  readonly args: { readonly [NAME in keyof ArgumentsOf<N>]: Argument };
  /** The question to confirm at a terminal first; without it nothing is asked. */
  readonly question?: (input: ArgumentsOf<N>) => string;
  readonly json: (input: ArgumentsOf<N>, result: ResultOf<N>) => Json;
  /** The output for people once the act is done, without a line feed. */
  readonly text: (input: ArgumentsOf<N>, result: ResultOf<N>) => string;
}

/** Makes the command that carries out an act with the arguments on the command line. */
export function acting<N extends CarriedName>(act: N, verb: Verb<N>) {
  const { brief, more, examples, args, question, json, text } = verb;
  const names = Object.keys(args);
  return command<object, unknown[]>({
    brief,
    ...more !== undefined && { more },
    examples,
    args: Object.values<Argument>(args),
    async run(session, _flags, ...values) {
      const named = Object.fromEntries(names.map((name, at) => [name, values[at]]));
      const input = named as ArgumentsOf<N>;
      if (question !== undefined) await confirm(session, question(input));
      const result = await session.act(act, input);
      return { json: json(input, result), text: `${text(input, result)}\n` };
    },
  });
}
