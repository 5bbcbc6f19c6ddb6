import type { AuditDetail, LockedPartner } from "@sabika/service/audit";
import type { PartnerChanges } from "@sabika/service/partners";
import { RATE_CLASSES, refuseTerm, TERM_ENTRIES } from "@sabika/terms";

/**
 * What is wrong with changed settings, in words; undefined when nothing is.
 *
 * @param before the partner's present limits, for those that are left out
 */
export function checkSettings(
  changes: PartnerChanges,
  before: Pick<LockedPartner, "quoteMinMicrograms" | "quoteMaxMicrograms">,
): string | undefined {
  const least = changes.quoteMinMicrograms ?? before.quoteMinMicrograms;
  const most = changes.quoteMaxMicrograms ?? before.quoteMaxMicrograms;
  if (least > most) return "the smallest quantity of a quote exceeds the largest";
  for (const [key, term] of TERM_ENTRIES) {
    const value = changes[key];
    const wrong = value === undefined ? undefined : refuseTerm(term, value);
    if (wrong !== undefined) return wrong;
  }
  for (const name of RATE_CLASSES) {
    const limit = changes.rateLimits?.[name];
    if (limit === undefined) continue;
    if (!(limit.perSecond > 0 && limit.burst >= 1 && Number.isInteger(limit.burst))) {
      return `the rate of ${name} is above zero, with a burst of at least 1`;
    }
  }
  return undefined;
}

/** Changed settings as the audit log has them, each as a text. */
export function auditOf(changes: PartnerChanges): AuditDetail {
  const audit: AuditDetail = {};
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    audit[key] = typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  return audit;
}
