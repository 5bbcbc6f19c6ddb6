import type { Balances } from "@sabika/protocol";
import type { Database } from "../store/database.ts";

/** What the partner can spend now. */
export async function readBalances({ sql }: Database, partnerId: number): Promise<Balances> {
  const [row] = await sql<{ cash_halalas: bigint; gold_micrograms: bigint }[]>`
    select cash_halalas, gold_micrograms from accounts where partner_id = ${partnerId}::integer`;
  if (!row) throw new Error(`partner ${partnerId} has no accounts`);
  return { sarHalalas: row.cash_halalas, goldMicrograms: row.gold_micrograms };
}
