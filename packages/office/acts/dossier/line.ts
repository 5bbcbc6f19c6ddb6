import { canonicalJson, parseJson } from "@sabika/protocol";
import type { Role } from "@sabika/terms";
import type { LABELS, WORDS } from "./words.ts";

/**
 * A value of a line, by the kind that says how it is written: amounts are decimal texts, times RFC 3339,
 * `days_of` and other words of a closed list are named, so that each language writes them in its own way.
 */
export type Value =
  | { readonly text: string }
  | { readonly texts: readonly string[] }
  | { readonly sar: string }
  | { readonly sar_per_gram: string }
  | { readonly grams: string }
  | { readonly percent: string }
  | { readonly count: number }
  /** How often, and how much it was together. */
  | { readonly times: number; readonly sar?: string }
  | { readonly at: string }
  /** A length of time. */
  | { readonly ms: number }
  | { readonly iban: string }
  | { readonly word: keyof typeof WORDS }
  | { readonly roles: readonly Role[] }
  /** The name of an act. */
  | { readonly act: string }
  /** Conditions of a rule; none: always. */
  | { readonly conditions: readonly string[] }
  /** Requests a second, and at once. */
  | { readonly rate: { readonly perSecond: number; readonly burst: number } };

/** A line of a dossier (Decision D96): what an act is about, or what somebody should know who signs it. */
export interface Line {
  readonly name: keyof typeof LABELS;
  /** What it is, or will be once the act is done. */
  readonly value: Value;
  /** What it is until then, where the act changes it. */
  readonly was?: Value;
  /** Whether it is there to be known: a request does not depend on it. */
  readonly context?: true;
  /** Whether it changed since the act was asked for: `was` is what it was then. */
  readonly changed?: true;
}

/** The lines of an act in their order; as canonical JSON they are part of what is signed. */
export type Dossier = readonly Line[];

/** Makes a line. */
export const line = (name: Line["name"], value: Value): Line => ({ name, value });

/** Makes a line of what an act changes: from `was` to `value`. */
export const change = (name: Line["name"], was: Value, value: Value): Line => ({
  name,
  was,
  value,
});

/** Makes a line that is there to be known. */
export const context = (name: Line["name"], value: Value): Line => ({ name, value, context: true });

/** The lines that a request depends on: if one differs at the approval, the request is void. */
export const factsOf = (dossier: Dossier): Dossier => dossier.filter((line) => !line.context);

/** Returns the canonical JSON of lines, by which they are signed and compared. */
export const textOf = (dossier: Dossier): string =>
  canonicalJson(parseJson(JSON.stringify(dossier)));

/**
 * Returns the first fact that is not as it was, from what it was to what it is; undefined when all are the same. What
 * an act changes counts by what it is until then.
 */
export function firstDifference(before: Dossier, now: Dossier): Line | undefined {
  const [old, current] = [factsOf(before), factsOf(now)];
  for (let n = 0; n < Math.max(old.length, current.length); n++) {
    const [a, b] = [old[n], current[n]];
    if (a !== undefined && b !== undefined && textOf([a]) === textOf([b])) continue;
    if (a?.name !== b?.name) return differenceOf(a ?? b!, a?.value, undefined);
    return sameText(a!.was, b!.was)
      ? differenceOf(a!, a!.value, b!.value)
      : differenceOf(a!, a!.was, b!.was);
  }
  return undefined;
}

const NONE: Value = { word: "none" };

const differenceOf = (
  { name }: Line,
  was: Value | undefined = NONE,
  value: Value | undefined = NONE,
): Line => ({ name, was, value, context: true, changed: true });

const sameText = (a: Value | undefined, b: Value | undefined) =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The member of an act's arguments that has its dossier. */
export const DOSSIER = "dossier";

/** Splits the arguments of an act into those that say what is to be done, and what was signed as its dossier. */
export function splitArguments(
  values: Readonly<Record<string, unknown>>,
): { readonly input: Readonly<Record<string, unknown>>; readonly dossier: unknown } {
  const { [DOSSIER]: dossier, ...input } = values;
  return { input, dossier };
}
