import { parseId, type Withdrawal, withdrawalToJson } from "@sabika/protocol";
import { postTransfer } from "../ledger/post_transfer.ts";
import type { AnySql } from "../store/sql.ts";
import { writeEvent } from "../webhooks/write_event.ts";
import { readWithdrawal, WITHDRAWAL_COLUMNS, type WithdrawalRow } from "./reading/withdrawals.ts";

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

const FROM: Readonly<Record<WithdrawalStep["to"], readonly Withdrawal["status"][]>> = {
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
 * @param sql a transaction; a refusal has changed nothing
 * @param of.withdrawalId the wire id, `wd_…`
 */
export async function settleWithdrawal(
  sql: AnySql,
  of: {
    withdrawalId: string;
    step: WithdrawalStep;
    nowMs: number;
    random: (length: number) => Uint8Array;
  },
): Promise<SettledWithdrawal> {
  const uuid = parseId("wd", of.withdrawalId);
  const partnerId = uuid && await findPartner(sql, uuid);
  if (!uuid || !partnerId) return { ok: false, code: "not_found" };
  const { step } = of;
  // The accounts first, as everywhere.
  await sql`select 1 from accounts where partner_id = ${partnerId}::integer for no key update`;
  const [before] = await sql<{ status: Withdrawal["status"]; amount: bigint }[]>`
    select status, amount_halalas as amount from withdrawals
    where partner_id = ${partnerId}::integer and withdrawal_id = ${uuid}::uuid for update`;
  if (!FROM[step.to].includes(before!.status)) {
    return { ok: false, code: "wrong_status", status: before!.status };
  }
  const [row] = await sql<WithdrawalRow[]>`
    update withdrawals w set status = ${step.to},
      failure = ${step.to === "failed" ? step.failure : null},
      completed_at = ${
    step.to === "completed" ? sql`date_trunc('milliseconds', clock_timestamp())` : sql`null`
  }
    where w.partner_id = ${partnerId}::integer and w.withdrawal_id = ${uuid}::uuid
    returning ${sql.unsafe(WITHDRAWAL_COLUMNS)}`;
  const withdrawal = readWithdrawal(row!);
  if (step.to === "processing") return { ok: true, withdrawal, partnerId };
  const completed = step.to === "completed";
  await postTransfer(sql, {
    partnerId,
    asset: "SAR",
    debit: "withdrawals",
    credit: completed ? "bank" : "cash",
    amount: before!.amount,
    sourceKind: completed ? "withdrawal_payout" : "withdrawal_return",
    sourceId: uuid,
  });
  await writeEvent(sql, {
    partnerId,
    type: `withdrawal.${step.to}`,
    objectJson: withdrawalToJson(withdrawal),
    resourceId: uuid,
    nowMs: of.nowMs,
    random: of.random,
  });
  return { ok: true, withdrawal, partnerId };
}

/** Withdrawals are found by partner and id: ask for each partner, which is few look-ups. */
async function findPartner(sql: AnySql, uuid: string): Promise<number | undefined> {
  const [row] = await sql<{ partner_id: number }[]>`
    select p.partner_id from partners p, lateral (
      select 1 from withdrawals w
      where w.partner_id = p.partner_id and w.withdrawal_id = ${uuid}::uuid offset 0) w`;
  return row?.partner_id;
}
