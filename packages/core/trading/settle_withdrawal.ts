import { parseId, WITHDRAWAL, type Withdrawal } from "@sabika/protocol";
import { and, eq, sql } from "drizzle-orm";
import { lockAccounts } from "../ledger/open_accounts.ts";
import { postTransfer } from "../ledger/post_transfer.ts";
import { drizzle } from "../store/drizzle.ts";
import { accounts } from "../store/schema/ledger.ts";
import { partners } from "../store/schema/partners.ts";
import { withdrawals } from "../store/schema/trading.ts";
import type { AnySql } from "../store/sql.ts";
import { writeEvent } from "../events/write_event.ts";
import { readWithdrawal } from "../withdrawals/read_withdrawals.ts";

/** What the operator or the bank says of a withdrawal (Decision D13). */
export type WithdrawalStep =
  | { readonly to: "processing" }
  | { readonly to: "completed" }
  | { readonly to: "failed"; readonly failure: string }
  | { readonly to: "cancelled" };

export type SettledWithdrawal =
  | { readonly ok: true; readonly withdrawal: Withdrawal; readonly partnerId: number }
  | { readonly ok: false; readonly code: "not_found" }
  | {
    readonly ok: false;
    readonly code: "wrong_status";
    readonly status: Withdrawal["status"];
  };

/** From which states a withdrawal goes to another. */
export const FROM: Readonly<Record<WithdrawalStep["to"], readonly Withdrawal["status"][]>> = {
  processing: ["pending"],
  completed: ["processing"],
  failed: ["processing"],
  cancelled: ["pending"],
};

/**
 * Takes a withdrawal to its next state: `pending → processing → completed | failed`, or
 * `pending → cancelled`. Failed and cancelled give the money back by a transfer of their own. The
 * event is written with it; processing has none.
 *
 * @param transaction a refusal has changed nothing
 * @param of.withdrawalId the wire id, `wd_…`
 */
export async function settleWithdrawal(
  transaction: AnySql,
  of: {
    withdrawalId: string;
    step: WithdrawalStep;
    nowMs: number;
    random: (length: number) => Uint8Array;
  },
): Promise<SettledWithdrawal> {
  const orm = drizzle(transaction);
  const uuid = parseId("wd", of.withdrawalId);
  const partnerId = uuid && await findPartnerOfWithdrawal(transaction, uuid);
  if (!uuid || !partnerId) return { ok: false, code: "not_found" };
  const { step } = of;
  // The accounts first, as everywhere.
  await lockAccounts(transaction, partnerId);
  const isOne = and(eq(withdrawals.partnerId, partnerId), eq(withdrawals.withdrawalId, uuid));
  const [before] = await orm.select().from(withdrawals).where(isOne).for("update");
  if (!FROM[step.to].includes(before!.status)) {
    return { ok: false, code: "wrong_status", status: before!.status };
  }
  const [row] = await orm.update(withdrawals).set({
    status: step.to,
    failure: step.to === "failed" ? step.failure : null,
    completedAt: step.to === "completed"
      ? sql`date_trunc('milliseconds', clock_timestamp())`
      : null,
  }).where(isOne).returning();
  const withdrawal = readWithdrawal(row!);
  if (step.to === "processing") return { ok: true, withdrawal, partnerId };
  const completed = step.to === "completed";
  await postTransfer(transaction, {
    partnerId,
    asset: "SAR",
    debit: "withdrawals",
    credit: completed ? "bank" : "cash",
    amount: withdrawal.amountHalalas,
    sourceKind: completed ? "withdrawal_payout" : "withdrawal_return",
    sourceId: uuid,
  });
  await writeEvent(transaction, {
    partnerId,
    type: `withdrawal.${step.to}`,
    objectJson: WITHDRAWAL.write(withdrawal),
    resourceId: uuid,
    nowMs: of.nowMs,
    random: of.random,
  });
  return { ok: true, withdrawal, partnerId };
}

/**
 * Whose a withdrawal of this database is. They are found by partner and id: each partner is asked, which
 * is a few index reads.
 */
export async function findPartnerOfWithdrawal(
  connection: AnySql,
  uuid: string,
): Promise<number | undefined> {
  const { partnerId } = partners;
  const [row] = await drizzle(connection).select({ partnerId }).from(partners).where(sql`(
    select true from ${withdrawals} join ${accounts} using (partner_id)
    where ${withdrawals.partnerId} = ${partnerId} and ${withdrawals.withdrawalId} = ${uuid})`);
  return row?.partnerId;
}
