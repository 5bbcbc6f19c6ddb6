import { buildRouteMap } from "@stricli/core";
import { command } from "../command/command.ts";

const ARGS = [
  ["NAME", "A person's name, as in `operator list`"],
  ["ISSUER", "The provider, as its ID tokens have it in iss"],
  ["SUBJECT", "The person, as its ID tokens have them in sub"],
] as const;

function changing(verb: "add" | "end") {
  return command<object, [string, string, string]>({
    act: `operator.identity.${verb}`,
    brief: verb === "add"
      ? "Let a person sign in at the office by the company's OpenID provider"
      : "End that now, with every session that it opened",
    more: verb === "add"
      ? "It opens reading; every act needs a passkey all the same. The subject is theirs for good,\n" +
        "an e-mail address is not: ask whoever runs the provider."
      : undefined,
    examples: [`operator identity ${verb} badr https://login.bank.example 248289761001`],
    args: ARGS,
    async run(session, _flags, operator, issuer, subject) {
      await session.act(`operator.identity.${verb}`, { operator, issuer, subject });
      const text = verb === "add" ? "signs in as" : "no longer signs in as";
      return {
        json: { operator, issuer, subject, [verb === "add" ? "added" : "ended"]: true },
        text: `${operator} ${text} ${subject} of ${issuer}\n`,
      };
    },
  });
}

/** `sabika operator identity …` */
export const operatorIdentity = buildRouteMap({
  docs: { brief: "Who people are at the company's OpenID provider" },
  routes: { add: changing("add"), end: changing("end") },
});
