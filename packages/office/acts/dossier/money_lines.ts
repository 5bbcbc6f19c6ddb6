import {
  formatHalalas,
  formatId,
  formatTime,
  parseId,
  type WithdrawalStatus,
} from "@sabika/protocol";
import { and, eq } from "drizzle-orm";
import { drizzle } from "@sabika/database";
import { fundings } from "@sabika/service/fundings";
import { withdrawals } from "@sabika/service/withdrawals";
import { readAccountsOf } from "../bookings/booking.ts";
import { change, context, line, type Value } from "./line.ts";
import { type Describe, ofPartner } from "./subject.ts";

const sar = (halalas: bigint): Value => ({ sar: formatHalalas(halalas) });

/** A bank transfer that is credited. */
export const describeCredit: Describe<
  { readonly amount_sar: bigint; readonly reference: string }
> = ofPartner(async ({ input: { amount_sar, reference }, partner: { partnerId }, cell }) => {
  const [before] = await drizzle(cell).select().from(fundings)
    .where(and(eq(fundings.partnerId, partnerId), eq(fundings.reference, reference)));
  const accounts = await readAccountsOf(cell, partnerId);
  return [
    line("amount", sar(amount_sar)),
    line("reference", { text: reference }),
    line(
      "credited_before",
      before === undefined
        ? { word: "no" }
        : { times: 1, sar: formatHalalas(before.amountHalalas) },
    ),
    context("balance", sar(accounts?.cashHalalas ?? 0n)),
  ];
});

/** What was on the bank account at the end of a day, beside the day before. */
export const describeBank: Describe<{ readonly day: string; readonly amount_sar: bigint }> = async (
  { input: { day, amount_sar }, control },
) => {
  const [last] = await control<{ halalas: bigint }[]>`
    select amount_halalas as halalas from reserve_banks where day < ${day}::text::date
    order by day desc limit 1`;
  return [
    line("end_of_day", { text: day }),
    line("on_account", sar(amount_sar)),
    context("on_account_before", last === undefined ? { word: "none" } : sar(last.halalas)),
  ];
};

/** A withdrawal's step to another state. */
export const describeWithdrawal = (to: Exclude<WithdrawalStatus, "pending">): Describe<
  { readonly withdrawal: string; readonly failure?: string }
> =>
  ofPartner(async ({ input: { withdrawal, failure }, partner: { partnerId }, cell }) => {
    const subjectId = parseId("wd", withdrawal);
    const [found] = subjectId === undefined ? [] : await drizzle(cell).select().from(withdrawals)
      .where(and(eq(withdrawals.partnerId, partnerId), eq(withdrawals.withdrawalId, subjectId)));
    if (found === undefined) return [line("withdrawal", { text: withdrawal })];
    const { amountHalalas, iban, status, createdAt, clientReference } = found;
    const [paid] = await cell<{ times: number; halalas: string }[]>`
      select count(*)::integer as times, coalesce(sum(amount_halalas), 0)::text as halalas
      from withdrawals
      where partner_id = ${partnerId}::integer and status = 'completed' and iban = ${iban}`;
    return [
      line("amount", sar(amountHalalas)),
      line("iban", { iban }),
      change("withdrawal", { word: status }, { word: to }),
      ...failure === undefined ? [] : [line("failure", { text: failure })],
      line("requested_at", { at: formatTime(createdAt) }),
      ...clientReference === null ? [] : [line("client_reference", { text: clientReference })],
      line("reference", { text: formatId("wd", found.withdrawalId) }),
      context("paid_before", { times: paid!.times, sar: formatHalalas(BigInt(paid!.halalas)) }),
    ];
  });
