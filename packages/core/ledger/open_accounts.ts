import type postgres from "postgres";

/**
 * Gives a partner its accounts and its webhook lane. To be called once, in the transaction that
 * admits the partner.
 *
 * @param sql the transaction's `sql`, or a connection's
 */
export async function openAccounts(
  sql: postgres.ISql<{ bigint: bigint }>,
  partnerId: number,
): Promise<void> {
  await sql`insert into accounts (partner_id) values (${partnerId}) on conflict do nothing`;
  await sql`insert into webhook_lanes (partner_id) values (${partnerId}) on conflict do nothing`;
}
