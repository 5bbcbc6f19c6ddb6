import { type ActName, type AdminOutcome, ROLES } from "@sabika/terms";
import { act } from "./act.ts";
import { between } from "./argument_checks.ts";
import { CARRIED_ACTS } from "./acts.ts";
import { removeRule, setLeastAdministrators, setRule, setWait } from "./approval_rules.ts";
import { type JsonArguments, shapeOf, someOf, text, texts, whole } from "./arguments.ts";
import {
  describeAdministrators,
  describeNoRule,
  describeRule,
  describeWait,
} from "./dossier/people_lines.ts";
import { refuse, type Shape } from "@sabika/protocol";

/** Acts whose arguments describe them completely, by name; with the acts that set the rules for approval. */
export const CATALOGUE = {
  ...CARRIED_ACTS,
  "policy.set": act(
    { act: text, conditions: texts, approvers: someOf(ROLES) },
    describeRule,
    (admin, rule) => {
      const names = namesOf(rule.act);
      if (names === undefined) return Promise.resolve(refuse("invalid_setting", CANNOT_WAIT));
      return setRule(admin, rule, names);
    },
  ),
  "policy.remove": act(
    { act: text },
    describeNoRule,
    (admin, { act }) => removeRule(admin, act),
  ),
  "policy.time": act(
    { seconds: between(whole, [60, "60"], [2_592_000, "2592000"]) },
    describeWait,
    (admin, { seconds }) => setWait(admin, seconds),
  ),
  "policy.administrators": act(
    { least: between(whole, [2, "2"], [10, "10"]) },
    describeAdministrators,
    (admin, { least }) => setLeastAdministrators(admin, least),
  ),
} as const satisfies Partial<Record<ActName, unknown>>;

/** The detail of a refusal: why an act cannot have a rule. */
export const CANNOT_WAIT =
  "this act cannot wait for a second person: it needs files of whoever does it";

/**
 * Whether only the requester can finish an act once it is approved, by asking for the same again: its
 * result shows a secret, or it needs an attachment, which is kept nowhere.
 */
export function isForRequester(name: CarriedName, argumentsText: string): boolean {
  return CATALOGUE[name].isPersonal ||
    name === "price.set" && JSON.parse(argumentsText)["source"] === "feed";
}

/** The names of the arguments of an act that can wait; undefined for one that cannot. */
function namesOf(name: string): string[] | undefined {
  if (name.startsWith("policy.")) return [];
  return Object.hasOwn(CARRIED_ACTS, name)
    ? Object.keys(CARRIED_ACTS[name as keyof typeof CARRIED_ACTS].parameters)
    : undefined;
}

/** The names of all acts that can wait for a second person: those that can have a rule. */
export const WAITING_NAMES = Object.keys(CARRIED_ACTS) as readonly ActName[];

type Catalogue = typeof CATALOGUE;

/** The name of an act whose arguments describe it completely. */
export type CarriedName = keyof Catalogue;

/** The names of all acts whose arguments describe them completely. */
export const CARRIED_NAMES = Object.keys(CATALOGUE) as readonly CarriedName[];

/** Whether an act's arguments describe it completely. */
export function isCarried(name: string): name is CarriedName {
  return Object.hasOwn(CATALOGUE, name);
}

/** Returns the schema of an act's arguments, for the OpenAPI document. */
export const shapeOfArguments = (name: CarriedName): Shape => shapeOf(CATALOGUE[name].parameters);

/** The arguments of an act, by its name: JSON, amounts as texts. */
export type ArgumentsOf<N extends CarriedName> = JsonArguments<Catalogue[N]["parameters"]>;

/** The result of an act, by its name. */
export type ResultOf<N extends CarriedName> = Catalogue[N] extends
  { carryOut: (...input: never[]) => Promise<AdminOutcome<infer T>> } ? T
  : Catalogue[N] extends { booking: { read: (...input: never[]) => Promise<infer T> } } ? T
  : never;
