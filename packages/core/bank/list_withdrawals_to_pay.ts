import { formatId, type Id, type WithdrawalStatus } from "@sabika/protocol";
import type { Sql } from "../store/database.ts";

/** A withdrawal as the one who pays it sees it: with the whole IBAN. */
export interface WithdrawalToPay {
  id: Id<"wd">;
  clientId: string;
  status: WithdrawalStatus;
  amountHalalas: bigint;
  iban: string;
  clientReference: string | null;
  createdAtMs: number;
  completedAtMs: number | null;
  failure: string | null;
}

/** Withdrawals of all partners or one, oldest first; those that are not finished when no status is given. */
export async function listWithdrawalsToPay(
  sql: Sql,
  filter: { clientId?: string; status?: WithdrawalStatus | "all"; limit: number },
): Promise<WithdrawalToPay[]> {
  const { clientId = null, status = null } = filter;
  const rows = await sql<(Omit<WithdrawalToPay, "id"> & { uuid: string })[]>`
    select withdrawal_id as uuid, client_id as "clientId", w.status,
      amount_halalas as "amountHalalas", iban, client_reference as "clientReference", failure,
      (extract(epoch from w.created_at) * 1000)::float8 as "createdAtMs",
      (extract(epoch from w.completed_at) * 1000)::float8 as "completedAtMs"
    from withdrawals w join partners p using (partner_id)
    where (${clientId}::text is null or p.client_id = ${clientId})
      and case when ${status}::text is null then w.status in ('pending', 'processing')
        else ${status} in ('all', w.status) end
    order by w.created_at, withdrawal_id limit ${filter.limit}`;
  return rows.map(({ uuid, ...row }) => ({ id: formatId("wd", uuid), ...row }));
}
