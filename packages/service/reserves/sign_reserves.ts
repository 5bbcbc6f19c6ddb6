import { RESERVE_SIGNATURE, RESERVE_TYPE } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import type { ReceiptSigner } from "../receipts/receipt_signer.ts";

/**
 * Signs the reserves that the operator has not signed yet, with the key of receipts, in control (Decision D105).
 * Several instances may do this at once.
 *
 * @throws {SignerAwayError} while none can be signed
 */
export async function signReserves(
  { sql }: Pick<Database, "sql">,
  signer: Pick<ReceiptSigner, "signText">,
): Promise<void> {
  const unsigned = await sql<{ day: string; hash: string }[]>`
    select to_char(day, 'YYYY-MM-DD') as day, hash from reserves r
    where not exists (select from reserve_signatures s where s.day = r.day and signer = 'operator') order by 1`;
  for (const reserve of unsigned) {
    const text = RESERVE_SIGNATURE.write({ ...reserve, signer: "operator" });
    const jws = await signer.signText(RESERVE_TYPE, text);
    await sql`select keep_reserve_signature(${reserve.day}::text::date, ${jws}::text)`;
  }
}
