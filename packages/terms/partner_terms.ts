import { formatDecimal, formatMicrograms } from "@sabika/protocol";

/** A term's unit: parts per million, shown as percent; micrograms, shown as grams; or a count. */
export type TermUnit = "percent" | "grams" | "count";

interface Term {
  /** The name of its argument in acts, and of its member in a partner's JSON. */
  readonly name: string;
  readonly unit: TermUnit;
  /** Its option of `sabika partner update`, in camel case. */
  readonly option: string;
  /** What the option's help says. */
  readonly brief: string;
  readonly least: bigint;
  readonly most?: bigint;
  /** The message for a value below or above. */
  readonly range: string;
  /** Whether it limits what a partner may request; such terms can be set at its admission. */
  readonly isLimit: boolean;
}

const RATE = { least: 0n, most: 1_000_000n, range: "a rate is 0 to 100 %" } as const;

/**
 * The terms of a partner that are a single number, by their columns of `partners`. The arguments of
 * `partner.create` and `partner.update` with their checks, the options of `sabika partner update`, the
 * JSON of office and command, and the fields of the console are made from this table.
 */
export const PARTNER_TERMS = {
  spreadPpm: {
    name: "spread_percent",
    unit: "percent",
    option: "spread",
    brief: "Distance of its buy and sell price from the middle",
    least: 0n,
    most: 999_999n,
    range: "the spread is at least 0 and below 100 %",
    isLimit: false,
  },
  feePpm: {
    name: "fee_percent",
    unit: "percent",
    option: "fee",
    brief: "Fee on each order",
    ...RATE,
    isLimit: false,
  },
  vatPpm: {
    name: "vat_percent",
    unit: "percent",
    option: "vat",
    brief: "VAT on each order",
    ...RATE,
    isLimit: false,
  },
  quoteMinMicrograms: {
    name: "min_grams",
    unit: "grams",
    option: "minGrams",
    brief: "Smallest quantity of a quote",
    least: 1n,
    range: "the smallest quantity is above zero",
    isLimit: true,
  },
  quoteMaxMicrograms: {
    name: "max_grams",
    unit: "grams",
    option: "maxGrams",
    brief: "Largest quantity of a quote",
    least: 1n,
    range: "the largest quantity is above zero",
    isLimit: true,
  },
  openQuotesLimit: {
    name: "open_quotes",
    unit: "count",
    option: "openQuotes",
    brief: "Most open quotes at a time",
    least: 1n,
    most: 100_000n,
    range: "the limit of open quotes is a whole number from 1 to 100000",
    isLimit: true,
  },
} as const satisfies Readonly<Record<string, Term>>;

/** A term's column of `partners`. */
export type TermKey = keyof typeof PARTNER_TERMS;

/** A term's argument and member. */
export type TermName = (typeof PARTNER_TERMS)[TermKey]["name"];

/** A term's option of `sabika partner update`, in camel case. */
export type TermOption = (typeof PARTNER_TERMS)[TermKey]["option"];

/** The terms by their columns, in the order in which they are shown. */
export const TERM_ENTRIES = Object.entries(PARTNER_TERMS) as readonly [
  TermKey,
  Term & { readonly name: TermName; readonly option: TermOption },
][];

/** A term's value for people, without its unit. */
export function formatTerm(unit: TermUnit, value: bigint | number): string {
  if (typeof value === "number") return String(value);
  return unit === "percent" ? formatDecimal(value, 4) : formatMicrograms(value);
}

/** What is wrong with a term's value; undefined when nothing is. */
export function refuseTerm(
  { least, most, range }: Term,
  value: bigint | number,
): string | undefined {
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  return isWhole && value >= least && (most === undefined || value <= most) ? undefined : range;
}
