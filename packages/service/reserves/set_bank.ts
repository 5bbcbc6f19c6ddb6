import { formatHalalas, refuse } from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { actIdOf } from "../audit/warrant.ts";

/** What was on the operator's bank account at the end of a day. */
export interface BankBalance {
  /** `2026-11-20`, in Riyadh. */
  readonly day: string;
  readonly amountHalalas: bigint;
}

/** Records what was on the operator's bank account when a day ended, once and before the day's reserve is made. */
export function setReserveBank(
  admin: AdminContext,
  { day, amountHalalas }: BankBalance,
): Promise<AdminOutcome<BankBalance>> {
  return inTransaction<BankBalance>(admin, async (sql) => {
    // What `keep_reserve` holds until it has committed: the balance is in the day's reserve, or is refused.
    await sql`select pg_advisory_xact_lock(7322)`;
    const [made] = await sql`select from reserves where day >= ${day}::text::date limit 1`;
    if (made !== undefined) return refuse("already_exists", `the reserve of ${day} was made`);
    const [row] = await sql`insert into reserve_banks (day, amount_halalas, act_id)
      values (${day}::text::date, ${amountHalalas}::bigint, ${actIdOf(admin)}::uuid)
      on conflict do nothing returning day`;
    if (row === undefined) return refuse("already_exists", `the balance of ${day} was entered`);
    await writeAudit(sql, admin, "reserve.bank.set", null, {
      day,
      amount_sar: formatHalalas(amountHalalas),
    });
    return { ok: true, value: { day, amountHalalas } };
  });
}
