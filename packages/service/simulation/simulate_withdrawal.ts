import { formatTime, uuidV7, WITHDRAWAL, type WithdrawalStatus } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { getWithdrawal } from "../withdrawals/read_withdrawals.ts";

/** A withdrawal and what the bank is supposed to have done with it. */
export interface SimulatedWithdrawal {
  readonly partnerId: number;
  /** Its UUID. */
  readonly withdrawalId: string;
  readonly status: Exclude<WithdrawalStatus, "pending">;
  readonly nowMs: number;
  readonly random: (length: number) => Uint8Array;
}

/** Takes a withdrawal to a state, with its transfer and event; not one that has ended. */
export async function simulateWithdrawal(
  database: Database,
  { partnerId, withdrawalId, status, nowMs, random }: SimulatedWithdrawal,
): Promise<void> {
  const before = await getWithdrawal(database, { partnerId, withdrawalId });
  if (before === undefined) return;
  const failureReason = status === "failed" ? "simulated" : null;
  const completedAtMs = status === "completed" ? nowMs : null;
  const object = WITHDRAWAL.write({ ...before, status, failureReason, completedAtMs });
  await database.sql`
    select simulate_withdrawal(${partnerId}::integer, ${withdrawalId}::uuid, ${status},
      ${failureReason}::text, ${formatTime(nowMs)}::timestamptz, ${uuidV7(nowMs, random)}::uuid,
      ${object})`;
}
