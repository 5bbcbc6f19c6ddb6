import type { ArgumentsOf, CarriedName, ResultOf } from "@sabika/office/acts";
import type { Session } from "../connect/session.ts";
import { confirm } from "./ask.ts";
import { type Argument, command } from "./command.ts";
import type { Json } from "./json.ts";

/** A command whose arguments are those of its act. */
interface Verb<N extends CarriedName> {
  /** One line in the list of commands. */
  readonly brief: string;
  readonly more?: string | undefined;
  /** At least one full command line, without `sabika`. */
  readonly examples: readonly string[];
  /** The arguments of the act that are given, by name, in their order on the command line. */
  readonly args: { readonly [NAME in keyof ArgumentsOf<N>]: Argument };
  /** Adds what the person has to have seen to what is signed. */
  readonly look?: (session: Session, input: ArgumentsOf<N>) => Promise<ArgumentsOf<N>>;
  /** The question to confirm at a terminal first; without it nothing is asked. */
  readonly question?: (input: ArgumentsOf<N>) => string;
  readonly json: (input: ArgumentsOf<N>, result: ResultOf<N>) => Json;
  /** The output for people once the act is done, without a line feed. */
  readonly text: (input: ArgumentsOf<N>, result: ResultOf<N>) => string;
}

/** Makes the command that carries out an act with the arguments on the command line. */
export function acting<N extends CarriedName>(act: N, verb: Verb<N>) {
  const { brief, more, examples, args, look, question, json, text } = verb;
  const names = Object.keys(args);
  return command<object, unknown[]>({
    brief,
    ...more !== undefined && { more },
    examples,
    args: Object.values<Argument>(args),
    async run(session, _flags, ...values) {
      const named = Object.fromEntries(names.map((name, at) => [name, values[at]]));
      const given = named as ArgumentsOf<N>;
      const input = await look?.(session, given) ?? given;
      if (question !== undefined) await confirm(session, question(input));
      const result = await session.act(act, input);
      return { json: json(input, result), text: `${text(input, result)}\n` };
    },
  });
}
