import { formatHalalas, type Withdrawal } from "@sabika/protocol";
import { writeAudit } from "../admin/audit.ts";
import { inTransaction } from "../admin/change.ts";
import type { AdminContext } from "../admin/admin_context.ts";
import { type Done, done, refused } from "../admin/refused.ts";
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
): Promise<Done<Withdrawal>> {
  return inTransaction(admin, async (sql) => {
    if (step.to === "failed" && !/^\S(?:.{0,254}\S)?$/.test(step.failure)) {
      return refused("invalid_setting", "a failure's reason has 1 to 256 characters on one line");
    }
    const settled = await settleWithdrawal(sql, {
      withdrawalId,
      step,
      nowMs: admin.now(),
      random: admin.random,
    });
    if (!settled.ok) {
      return settled.code === "not_found"
        ? refused("not_found", `there is no withdrawal ${withdrawalId}`)
        : refused(
          "invalid_state",
          `the withdrawal is ${settled.status}: it cannot become ${step.to}`,
        );
    }
    const { withdrawal, partnerId } = settled;
    await writeAudit(sql, admin, `withdrawal.${step.to}`, partnerId, {
      withdrawalId,
      amount: formatHalalas(withdrawal.amountHalalas),
      ...(step.to === "failed" ? { failure: step.failure } : {}),
    });
    return done(withdrawal);
  });
}
