import { formatId, type Id, type WithdrawalStatus } from "@sabika/protocol";
import { and, eq, inArray, sql } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import { accounts } from "../ledger/tables.ts";
import { partners } from "../partners/tables.ts";
import { withdrawals } from "../withdrawals/tables.ts";

/** A withdrawal as the person who pays it sees it: with the full IBAN. */
export interface WithdrawalToPay extends
  Pick<
    typeof withdrawals.$inferSelect,
    "status" | "amountHalalas" | "iban" | "clientReference" | "failure"
  > {
  id: Id<"wd">;
  clientId: string;
  createdAtMs: number;
  completedAtMs: number | null;
}

/**
 * Lists withdrawals of all partners or of one, oldest first; without a status, those not finished.
 *
 * @param filter.id the UUID of one withdrawal
 * @param filter.after the UUID of the withdrawal after which the list continues
 */
export async function listWithdrawalsToPay(
  connection: Sql,
  filter: {
    clientId?: string | undefined;
    id?: string;
    status?: WithdrawalStatus | "all" | undefined;
    after?: string | undefined;
    limit: number;
  },
): Promise<WithdrawalToPay[]> {
  const { clientId, id, status, after, limit } = filter;
  const rows = await drizzle(connection).select({
    clientId: partners.clientId,
    withdrawal: withdrawals,
  })
    .from(withdrawals).innerJoin(partners, eq(partners.partnerId, withdrawals.partnerId))
    // Rows that a partner left behind when it moved are paid in its present cell.
    .innerJoin(accounts, eq(accounts.partnerId, withdrawals.partnerId))
    .where(and(
      clientId === undefined ? undefined : eq(partners.clientId, clientId),
      id === undefined ? undefined : eq(withdrawals.withdrawalId, id),
      status === "all"
        ? undefined
        : status === undefined
        ? inArray(withdrawals.status, ["pending", "processing"])
        : eq(withdrawals.status, status),
      // The withdrawal `after` may have been paid meanwhile, so its place is found by time and id.
      after === undefined
        ? undefined
        : sql`(${withdrawals.createdAt}, ${withdrawals.withdrawalId}) >
        (select w.created_at, w.withdrawal_id from partners p
          join lateral (select * from withdrawals w where w.partner_id = p.partner_id
            and w.withdrawal_id = ${after}::uuid) w on true)`,
    )).orderBy(withdrawals.createdAt, withdrawals.withdrawalId).limit(limit);
  return rows.map(readWithdrawalToPay);
}

/** Converts a row of `withdrawals` and the partner's client id. */
export function readWithdrawalToPay({ clientId, withdrawal }: {
  clientId: string;
  withdrawal: typeof withdrawals.$inferSelect;
}): WithdrawalToPay {
  return {
    id: formatId("wd", withdrawal.withdrawalId),
    clientId,
    status: withdrawal.status,
    amountHalalas: withdrawal.amountHalalas,
    iban: withdrawal.iban,
    clientReference: withdrawal.clientReference,
    createdAtMs: withdrawal.createdAt,
    completedAtMs: withdrawal.completedAt,
    failure: withdrawal.failure,
  };
}
