import { type Funding, uuidV7 } from "@sabika/protocol";
import { plainArray, textArray } from "../store/array_text.ts";
import type { AnySql } from "../store/sql.ts";
import { type FundingRow, readFunding } from "./fundings.ts";

export type CreditedFunding =
  /** `repeated`: the same reference and amount were credited before; nothing was done again. */
  | { readonly ok: true; readonly repeated: boolean; readonly funding: Funding }
  /** The reference was credited with another amount. */
  | { readonly ok: false; readonly code: "reference_used"; readonly funding: Funding };

/**
 * Credits a bank transfer that arrived (Decision D14). The bank's reference makes it once only for
 * each partner.
 *
 * @param sql the pool's, or a transaction's when an audit entry belongs to it
 */
export async function creditFunding(
  sql: AnySql,
  of: {
    partnerId: number;
    amountHalalas: bigint;
    reference: string;
    nowMs: number;
    random: (length: number) => Uint8Array;
  },
): Promise<CreditedFunding> {
  if (of.amountHalalas <= 0n) throw new RangeError("a funding's amount is above zero");
  const [row] = await sql<FundingRow[]>`select * from credit_fundings(
    ${plainArray([of.partnerId])}::integer[],
    ${plainArray([uuidV7(of.nowMs, of.random)])}::uuid[],
    ${plainArray([uuidV7(of.nowMs, of.random)])}::uuid[],
    '{NULL}'::text[], '{NULL}'::text[], ${plainArray([of.amountHalalas])}::bigint[],
    ${textArray([of.reference])}::text[])`;
  const funding = readFunding(row!);
  if (row!.result === "credited") return { ok: true, repeated: false, funding };
  if (row!.amount === of.amountHalalas) return { ok: true, repeated: true, funding };
  return { ok: false, code: "reference_used", funding };
}
