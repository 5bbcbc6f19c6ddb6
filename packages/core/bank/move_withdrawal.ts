import { formatHalalas, refuse, type Withdrawal, type WithdrawalStatus } from "@sabika/protocol";
import { writeAudit } from "../admin/audit.ts";
import { inTransaction } from "../admin/change.ts";
import type { AdminContext } from "../admin/admin_context.ts";
import type { AdminOutcome, AdminRefusal } from "../admin/refusal.ts";
import { settleWithdrawal, type WithdrawalStep } from "../trading/settle_withdrawal.ts";

/**
 * Takes a withdrawal to its next state (Decision D13), with its audit entry: `pending → processing
 * → completed | failed`, `pending → cancelled`. Failed and cancelled return the money.
 *
 * @param withdrawalId `wd_…`
 */
export function moveWithdrawal(
  admin: AdminContext,
  withdrawalId: string,
  step: WithdrawalStep,
): Promise<AdminOutcome<Withdrawal>> {
  return inTransaction(admin, async (sql) => {
    const wrong = checkStep(step);
    if (wrong !== undefined) return wrong;
    const settled = await settleWithdrawal(sql, {
      withdrawalId,
      step,
      nowMs: admin.now(),
      random: admin.random,
    });
    if (!settled.ok) {
      return settled.code === "not_found"
        ? refuse("not_found", `there is no withdrawal ${withdrawalId}`)
        : wrongStatus(settled.status, step);
    }
    const { withdrawal, partnerId } = settled;
    await writeAudit(sql, admin, `withdrawal.${step.to}`, partnerId, {
      withdrawalId,
      amount: formatHalalas(withdrawal.amountHalalas),
      ...(step.to === "failed" ? { failure: step.failure } : {}),
    });
    return { ok: true, value: withdrawal };
  });
}

/** What is wrong with a step before anything is read. */
export function checkStep(step: WithdrawalStep): AdminRefusal | undefined {
  return step.to === "failed" && !/^\S(?:.{0,254}\S)?$/.test(step.failure)
    ? refuse("invalid_setting", "a failure's reason has 1 to 256 characters on one line")
    : undefined;
}

/** The refusal for a withdrawal that is not where the step begins. */
export function wrongStatus(status: WithdrawalStatus, { to }: WithdrawalStep): AdminRefusal {
  return refuse("invalid_state", `the withdrawal is ${status}: it cannot become ${to}`);
}
