import { TERM_ENTRIES } from "@sabika/terms";
import type { Messages } from "../languages/languages.ts";

/** A list has a form in each row, and all of them the same labels. */
const known = new WeakMap<Messages, Readonly<Record<string, string>>>();

/** Returns the labels of arguments in forms, by name; forms ask for no argument without a label. */
export function labelsOf(words: Messages): Readonly<Record<string, string>> {
  const labels = known.get(words) ?? makeLabels(words);
  known.set(words, labels);
  return labels;
}

function makeLabels(words: Messages): Readonly<Record<string, string>> {
  const { fields, partners, units, orders, overview, approvals, policy } = words;
  const terms = TERM_ENTRIES.map(([, { name, unit }]) => {
    const label = partners.terms[name];
    if (unit === "count") return [name, label];
    return [name, `${label} (${unit === "percent" ? "%" : units.grams})`];
  });
  return {
    ...fields,
    ...Object.fromEntries(terms),
    partner: words.partner,
    iban: partners.iban,
    addresses: partners.addresses,
    grams: words.gold,
    mid_price_sar: orders.price,
    reference: orders.reference,
    failure: overview.reason,
    reason: overview.reason,
    act: approvals.act,
    conditions: policy.conditions,
    approvers: policy.approvers,
  };
}

/** Returns the hints of an act's arguments, by name: its own, and those that all acts share. */
export function hintsOf(
  { actHints, hints }: Messages,
  act: string,
): Readonly<Record<string, string>> {
  const own = (actHints as Readonly<Record<string, Readonly<Record<string, string>>>>)[act];
  return { ...hints, ...own };
}
