import { formatHalalas, formatId, type Funding, refuse, uuidV7 } from "@sabika/protocol";
import { and, eq, isNull } from "drizzle-orm";
import { type AnySql, drizzle, type Transaction } from "@sabika/database";
import { cellActs } from "@sabika/service/booking";
import { fundings } from "@sabika/service/fundings";
import type { AdminRefusal } from "@sabika/terms";
import { type Booking, refusedByCell } from "./booking.ts";

/** Ten billion riyals: a larger transfer is taken for a typing error. */
export const MOST_HALALAS = 1_000_000_000_000n;

interface Credit {
  /** Halalas. */
  readonly amount_sar: bigint;
  /** The bank's reference, unique per partner. */
  readonly reference: string;
}

/**
 * Credits a bank transfer that arrived for a partner (Decision D14). A repetition with the same reference
 * and amount does nothing, and its result has `repeated: true`.
 */
export const creditFunding: Booking<Credit, { funding: Funding; repeated: boolean }> = {
  async prepare({ admin, partner: { partnerId }, cell }, { amount_sar: amount, reference }) {
    const wrong = checkCredit(amount, reference);
    if (wrong !== undefined) return wrong;
    // Read before the cell: a credit that is booked in between is then found in the cell.
    const same = await findOpenCredit(admin.transaction, partnerId, reference);
    if (same !== undefined) {
      return same.amount === amount
        ? { ok: true, value: { same } }
        : referenceUsed(reference, same.amount!);
    }
    const credited = await findFunding(cell, partnerId, reference);
    if (credited !== undefined && credited.amountHalalas !== amount) {
      return referenceUsed(reference, credited.amountHalalas);
    }
    if (credited !== undefined) {
      return { ok: true, value: { done: { funding: credited, repeated: true } } };
    }
    const subjectId = uuidV7(admin.now(), admin.random);
    const audit = {
      fundingId: formatId("fund", subjectId),
      amount: formatHalalas(amount),
      reference,
    };
    return { ok: true, value: { terms: { subjectId, amount, note: reference, audit } } };
  },
  async read(cell, { partnerId, subjectId, isRepeated }, { reference }) {
    const funding = (await findFunding(cell, partnerId, reference))!;
    return { funding, repeated: isRepeated || funding.id !== formatId("fund", subjectId) };
  },
  refuse: (result, { reference }) =>
    result === "reference_used"
      ? refuse("already_exists", `the reference "${reference}" was credited before`)
      : refusedByCell(result),
};

/** Whether a text can be a bank's reference. */
export const isReference = (text: string): boolean =>
  /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/.test(text);

/** The refusal for a wrong amount or reference; undefined when both are valid. */
function checkCredit(amountHalalas: bigint, reference: string): AdminRefusal | undefined {
  if (amountHalalas <= 0n || amountHalalas > MOST_HALALAS) {
    return refuse("invalid_amount", "an amount is above 0 and at most 10000000000 SAR");
  }
  return isReference(reference)
    ? undefined
    : refuse("invalid_amount", "a reference has 1 to 64 visible ASCII characters");
}

/** The refusal for a reference that was credited with another amount. */
function referenceUsed(reference: string, amountHalalas: bigint): AdminRefusal {
  const creditedSar = formatHalalas(amountHalalas);
  return refuse(
    "already_exists",
    `the reference "${reference}" was credited before, with ${creditedSar} SAR`,
  );
}

/** The credit with this reference that control has recorded and the cell is still to book, if any. */
async function findOpenCredit(control: Transaction, partnerId: number, reference: string) {
  const [row] = await drizzle(control).select().from(cellActs).where(and(
    isNull(cellActs.result),
    eq(cellActs.partnerId, partnerId),
    eq(cellActs.name, "funding.credit"),
    eq(cellActs.note, reference),
  ));
  return row;
}

async function findFunding(cell: AnySql, partnerId: number, reference: string) {
  const [row] = await drizzle(cell).select().from(fundings)
    .where(and(eq(fundings.partnerId, partnerId), eq(fundings.reference, reference)));
  return row && {
    id: formatId("fund", row.fundingId),
    status: "completed" as const,
    amountHalalas: row.amountHalalas,
    balanceHalalas: row.cashAfterHalalas,
    createdAtMs: row.createdAt,
  };
}
