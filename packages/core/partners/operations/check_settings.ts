import type { AuditDetail } from "../../admin/audit.ts";
import type { LockedPartner } from "../../admin/change.ts";
import { RATE_CLASSES } from "../../store/schema/mod.ts";
import type { PartnerChanges } from "../records.ts";

/**
 * What is wrong with changed settings, in words; undefined when nothing is.
 *
 * @param before the partner as it is, for what is left out
 */
export function checkSettings(
  changes: PartnerChanges,
  before: Pick<LockedPartner, "quoteMinMicrograms" | "quoteMaxMicrograms">,
): string | undefined {
  const least = changes.quoteMinMicrograms ?? before.quoteMinMicrograms;
  const most = changes.quoteMaxMicrograms ?? before.quoteMaxMicrograms;
  if (least > most) return "the smallest quantity of a quote exceeds the largest";
  const { quoteMinMicrograms: min, openQuotesLimit: open } = changes;
  if (min !== undefined && min <= 0n) return "the smallest quantity is above zero";
  if (open !== undefined && !(Number.isInteger(open) && open >= 1 && open <= 100_000)) {
    return "the limit of open quotes is a whole number from 1 to 100000";
  }
  if (changes.spreadPpm !== undefined && !within(changes.spreadPpm, 0n, 999_999n)) {
    return "the spread is at least 0 and below 100 %";
  }
  for (const rate of [changes.feePpm, changes.vatPpm]) {
    if (rate !== undefined && !within(rate, 0n, 1_000_000n)) return "a rate is 0 to 100 %";
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

function within(value: bigint, least: bigint, most: bigint): boolean {
  return least <= value && value <= most;
}

/** What the audit log has of changed settings. */
export function auditOf(changes: PartnerChanges): AuditDetail {
  const audit: AuditDetail = {};
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    audit[key] = typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  return audit;
}
