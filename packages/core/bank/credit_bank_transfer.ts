import { formatHalalas, type Funding, refuse } from "@sabika/protocol";
import { writeAudit } from "../admin/audit.ts";
import { findPartnerId, inTransaction, unknownPartner } from "../admin/change.ts";
import type { AdminContext } from "../admin/admin_context.ts";
import type { AdminOutcome, AdminRefusal } from "../admin/refusal.ts";
import { creditFunding } from "../trading/credit_funding.ts";

/** Ten billion riyals: more in one transfer is a typing error. */
const MOST_HALALAS = 1_000_000_000_000n;

/**
 * Credits a bank transfer that arrived for a partner (Decision D14), with its audit entry. Repeated
 * with the same reference and amount it does nothing, and the result says so.
 *
 * @param reference the bank's own; unique per partner
 */
export function creditBankTransfer(
  admin: AdminContext,
  clientId: string,
  amountHalalas: bigint,
  reference: string,
): Promise<AdminOutcome<{ funding: Funding; repeated: boolean }>> {
  return inTransaction(admin, async (sql) => {
    const wrong = checkCredit(amountHalalas, reference);
    if (wrong !== undefined) return wrong;
    const partnerId = await findPartnerId(sql, clientId);
    if (partnerId === undefined) return unknownPartner(clientId);
    const credited = await creditFunding(sql, {
      partnerId,
      amountHalalas,
      reference,
      nowMs: admin.now(),
      random: admin.random,
    });
    if (!credited.ok) return referenceUsed(reference, credited.funding);
    const { funding, repeated } = credited;
    if (!repeated) {
      await writeAudit(sql, admin, "funding.credit", partnerId, {
        fundingId: funding.id,
        amount: formatHalalas(amountHalalas),
        reference,
      });
    }
    return { ok: true, value: { funding, repeated } };
  });
}

/** What is wrong with a credit before anything is read. */
export function checkCredit(amountHalalas: bigint, reference: string): AdminRefusal | undefined {
  if (amountHalalas <= 0n || amountHalalas > MOST_HALALAS) {
    return refuse("invalid_amount", "an amount is above 0 and at most 10000000000 SAR");
  }
  return /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/.test(reference)
    ? undefined
    : refuse("invalid_amount", "a reference has 1 to 64 visible ASCII characters");
}

/** The refusal for a reference that was credited with another amount. */
export function referenceUsed(
  reference: string,
  { amountHalalas }: Pick<Funding, "amountHalalas">,
): AdminRefusal {
  const before = formatHalalas(amountHalalas);
  return refuse(
    "already_exists",
    `the reference "${reference}" was credited before, with ${before} SAR`,
  );
}
