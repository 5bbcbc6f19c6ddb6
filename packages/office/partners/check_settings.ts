import type { AuditDetail, LockedPartner } from "@sabika/service/audit";
import type { PartnerChanges } from "@sabika/service/partners";
import { RATE_CLASSES, refuseTerm, TERM_ENTRIES } from "@sabika/terms";

/**
 * Returns what is wrong with changed settings, in words; undefined when nothing is.
 *
 * @param current the partner's present limits, for those that are left out
 */
export function checkSettings(
  changes: PartnerChanges,
  current: Pick<LockedPartner, "quoteMinMicrograms" | "quoteMaxMicrograms">,
): string | undefined {
  const least = changes.quoteMinMicrograms ?? current.quoteMinMicrograms;
  const most = changes.quoteMaxMicrograms ?? current.quoteMaxMicrograms;
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

/** Returns changed settings as the audit log has them, each as a text. */
export function auditOf(changes: PartnerChanges): AuditDetail {
  const audit: AuditDetail = {};
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    audit[key] = typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  return audit;
}
