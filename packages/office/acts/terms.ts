import type { RateLimit } from "@sabika/protocol";
import type { PartnerChanges } from "@sabika/service/partners";
import {
  formatTerm,
  PARTNER_TERMS,
  RATE_CLASSES,
  refuseTerm,
  TERM_ENTRIES,
  type TermKey,
} from "@sabika/terms";
import {
  type Argument,
  type Arguments,
  flag,
  grams,
  optional,
  percent,
  whole,
} from "./arguments.ts";

type Terms = typeof PARTNER_TERMS;

const UNITS = { percent, grams, count: whole };

/** The arguments for terms, by name: for all terms, or for those that are limits. */
type TermArguments<LIMIT extends boolean> = {
  readonly [K in TermKey as Terms[K]["isLimit"] extends LIMIT ? Terms[K]["name"] : never]:
    & Argument<ValueOf<(typeof UNITS)[Terms[K]["unit"]]>>
    & { readonly isOptional: true };
};
type ValueOf<R> = R extends Argument<infer T> ? T : never;

/** Limits by class, as `{"signed": {"perSecond": 50, "burst": 100}}`. */
const rates: Argument<NonNullable<PartnerChanges["rateLimits"]>> = {
  shape: {
    type: "object",
    description: `By class (${RATE_CLASSES.join(", ")}): \`perSecond\` and \`burst\`.`,
  },
  read(value) {
    if (typeof value !== "object" || value === null) return undefined;
    const isRate = ([name, rate]: [string, unknown]) =>
      (RATE_CLASSES as readonly string[]).includes(name) &&
      typeof (rate as RateLimit | null)?.perSecond === "number" &&
      typeof (rate as RateLimit).burst === "number";
    return Object.entries(value).every(isRate) ? value : undefined;
  },
};

function argumentsOf(entries: typeof TERM_ENTRIES): Arguments {
  return Object.fromEntries(
    entries.map(([, term]) => [term.name, optional<unknown>(argumentOf(term))]),
  );
}

/** The argument for a term, which says what {@linkcode refuseTerm} refuses. */
function argumentOf(
  term: (typeof TERM_ENTRIES)[number][1],
): Argument<bigint> | Argument<number> {
  const { unit, least, most } = term;
  const bounds = most === undefined ? { code: "above_zero" } as const : {
    code: "out_of_range",
    least: formatTerm(unit, unit === "count" ? Number(least) : least),
    most: formatTerm(unit, unit === "count" ? Number(most) : most),
  } as const;
  return {
    ...UNITS[unit] as Argument<bigint>,
    mistakeIn: (value: bigint | number) =>
      refuseTerm(term, value) === undefined ? undefined : bounds,
  };
}

/** The arguments for the terms that limit what a partner may ask for. */
export const LIMITS = {
  ...argumentsOf(TERM_ENTRIES.filter(([, { isLimit }]) => isLimit)) as TermArguments<true>,
  rates: optional(rates),
};

/** The arguments for all terms of a partner. */
export const TERMS = {
  ...argumentsOf(TERM_ENTRIES) as TermArguments<boolean>,
  discloses_spread: optional(flag),
  rates: optional(rates),
};

/** Picks the terms out of an act's arguments, by the partner's columns, without those left out. */
export function termsOf(
  input: Readonly<Partial<Record<string, unknown>>>,
): Omit<PartnerChanges, "name"> {
  const terms = TERM_ENTRIES.map(([key, { name }]) => [key, input[name]]);
  return Object.fromEntries(
    [...terms, ["disclosesSpread", input["discloses_spread"]], ["rateLimits", input["rates"]]]
      .filter(([, value]) => value !== undefined),
  );
}
