import type { Admission } from "../partners/operations/admit_partner.ts";
import type { PartnerChanges } from "../partners/records.ts";
import { RATE_CLASSES } from "../store/schema/names.ts";
import type { RateLimit } from "../store/schema/partners.ts";
import { grams, optional, type ReadArguments, type Reader, whole } from "./arguments.ts";

/** Limits by class, as `{"signed": {"perSecond": 50, "burst": 100}}`. */
const rates: Reader<NonNullable<PartnerChanges["rateLimits"]>> = (value) => {
  if (typeof value !== "object" || value === null) return undefined;
  const isRate = ([name, rate]: [string, unknown]) =>
    (RATE_CLASSES as readonly string[]).includes(name) &&
    typeof (rate as RateLimit | null)?.perSecond === "number" &&
    typeof (rate as RateLimit).burst === "number";
  return Object.entries(value).every(isRate) ? value : undefined;
};

/** What a partner may ask for. */
export const LIMITS = {
  min_grams: optional(grams),
  max_grams: optional(grams),
  open_quotes: optional(whole),
  rates: optional(rates),
};

/** Those that are given. */
export function limitsOf(given: ReadArguments<typeof LIMITS>): NonNullable<Admission["limits"]> {
  const { min_grams, max_grams, open_quotes, rates } = given;
  return {
    ...(min_grams !== undefined && { quoteMinMicrograms: min_grams }),
    ...(max_grams !== undefined && { quoteMaxMicrograms: max_grams }),
    ...(open_quotes !== undefined && { openQuotesLimit: open_quotes }),
    ...(rates !== undefined && { rateLimits: rates }),
  };
}
