import { refuse } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { drizzle } from "@sabika/database";
import { changePartner } from "@sabika/service/audit";
import { partners } from "@sabika/service/partners";
import { type AdminOutcome, PARTNER_TERMS, refuseTerm, riyadhDayEnd } from "@sabika/terms";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

/** Rates of VAT, in millionths, from a day of Riyadh such as `2027-01-01` on. */
export interface TaxTerms {
  readonly partner: string;
  readonly gold_vat_percent: bigint;
  readonly fee_vat_percent: bigint;
  readonly from_day: string;
}

/**
 * Sets a partner's rates of VAT from a day on (Decision D93), in place of rates that begin on the same day. The day is
 * not over yet; quotes that were made keep theirs.
 */
export function setTax(
  admin: PartnerAdminContext,
  { partner: clientId, gold_vat_percent: goldPpm, fee_vat_percent: feePpm, from_day: fromDay }:
    TaxTerms,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "tax.set", async (sql, { partnerId, taxes }) => {
    const wrong = refuseTerm(PARTNER_TERMS.vatPpm, goldPpm) ??
      refuseTerm(PARTNER_TERMS.vatPpm, feePpm);
    if (wrong !== undefined) return refuse("invalid_setting", wrong);
    const endMs = riyadhDayEnd(fromDay);
    if (endMs === undefined) return refuse("invalid_setting", "not a day, such as 2027-01-01");
    if (endMs <= admin.now()) {
      return refuse("invalid_setting", `${fromDay} is over: a tax begins today or later`);
    }
    const rates = { gold_ppm: Number(goldPpm), fee_ppm: Number(feePpm) };
    await drizzle(sql).update(partners).set({ taxes: { ...taxes, [fromDay]: rates } })
      .where(eq(partners.partnerId, partnerId));
    return { ok: true, value: null, audit: { from_day: fromDay, ...rates } };
  });
}
