import { buildRouteMap } from "@stricli/core";
import { acting } from "../command/acting.ts";
import { NAME } from "./arguments.ts";

const ARGS = {
  operator: NAME,
  issuer: ["ISSUER", "The provider, as its ID tokens have it in iss"],
  subject: ["SUBJECT", "The person, as its ID tokens have them in sub"],
} as const;

const add = acting("operator.identity.add", {
  brief: "Let a person sign in at the office by the company's OpenID provider",
  more:
    "It opens reading; every act needs a passkey all the same. The subject is theirs for good,\n" +
    "an e-mail address is not: ask whoever runs the provider.",
  examples: ["operator identity add badr https://login.bank.example 248289761001"],
  args: ARGS,
  json: (input) => ({ ...input, added: true }),
  text: ({ operator, issuer, subject }) => `${operator} signs in as ${subject} of ${issuer}`,
});

const end = acting("operator.identity.end", {
  brief: "End that now, with every session that it opened",
  examples: ["operator identity end badr https://login.bank.example 248289761001"],
  args: ARGS,
  json: (input) => ({ ...input, ended: true }),
  text: ({ operator, issuer, subject }) =>
    `${operator} no longer signs in as ${subject} of ${issuer}`,
});

/** `sabika operator identity …` */
export const operatorIdentity = buildRouteMap({
  docs: { brief: "Who people are at the company's OpenID provider" },
  routes: { add, end },
});
