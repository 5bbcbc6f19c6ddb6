import type { Database } from "@sabika/database";
import { keepReceipts } from "./make_receipts.ts";
import { readOrderFacts, readReceipt } from "./order_facts.ts";
import { isWhole } from "./receipt_of.ts";
import { type ReceiptSigner, SignerAwayError } from "./receipt_signer.ts";

/** What there is of the receipt of an order. */
export type FoundReceipt =
  | { readonly state: "made"; readonly jws: string }
  /** It is made when the signer is there again. */
  | { readonly state: "pending" }
  /** The order was executed before receipts were made. */
  | { readonly state: "none" };

/** Finds the receipt of an order by the UUIDs inside ids; undefined when the partner has no such order. */
export type FindReceipt = (
  query: { partnerId: number; orderId: string },
) => Promise<FoundReceipt | undefined>;

/**
 * Finds receipts in one cell.
 *
 * @param parts.making makes them at once where the worker has not yet, in a database where a commit lasts: a
 *   receipt that somebody has is never made anew
 */
export function createReceiptFinder({ reading, making }: {
  reading: Pick<Database, "sql">;
  making?: { readonly database: Pick<Database, "sql">; readonly signer: ReceiptSigner };
}): FindReceipt {
  return async (query) => {
    // Most were made before.
    const made = await readReceipt(reading.sql, query);
    if (made !== undefined) return { state: "made", jws: made };
    const order = await readOrderFacts(reading.sql, query);
    if (order === undefined) return undefined;
    if (order.jws !== null) return { state: "made", jws: order.jws };
    if (!isWhole(order)) return { state: "none" };
    if (making === undefined) return { state: "pending" };
    const { database: { sql }, signer } = making;
    try {
      const receipts = await signer.sign([order]);
      await keepReceipts(sql, { orders: [order], receipts });
    } catch (error) {
      if (error instanceof SignerAwayError) return { state: "pending" };
      throw error;
    }
    // Another's, if it was kept meanwhile.
    const kept = await readReceipt(sql, query);
    return kept === undefined ? { state: "pending" } : { state: "made", jws: kept };
  };
}
