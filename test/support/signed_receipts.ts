import { assert, assertEquals } from "@std/assert";
import type { Database } from "@sabika/database";
import { readReceiptKeys } from "@sabika/identity/receipts";
import type { Secrets } from "@sabika/identity/secrets";
import { parseId, verifyReceipt } from "@sabika/protocol";
import { createReceiptFinder, createReceiptSigner, makeReceipts } from "@sabika/service/receipts";

/** Signs receipts as worker and routes do while faults strike, and judges at the end what is kept. */
export function signReceipts({ database, secrets }: { database: Database; secrets: Secrets }) {
  let ms = 0;
  // After a failure the signer is tried again at once.
  const signer = createReceiptSigner({ control: database, secrets, now: () => ms += 60_000 });
  const find = createReceiptFinder({ reading: database, making: { database, signer } });
  const answered = new Map<string, string>();
  return {
    /** One round of the worker. */
    makeSome: () => makeReceipts(database, signer, 20),
    /** Asks for the receipt of an order, as its partner does, and keeps it. */
    async ask(partnerId: number, id: string): Promise<void> {
      const found = await find({ partnerId, orderId: parseId("ord", id)! });
      if (found?.state !== "made") return;
      answered.set(`${id} ${found.jws}`, id);
    },
    /** Each order has one receipt, which is that of every answer, and names the order's version and its share. */
    async judge(): Promise<number> {
      while (await makeReceipts(database, signer));
      const keys = await readReceiptKeys(database.sql);
      const rows = await database.sql<{ id: string; jws: string | null; pool: string }[]>`
        select 'ord_' || o.order_id as id, r.jws,
          concat_ws(' ', v.pool_id, v.number, v.hash, o.gold_after_micrograms, v.fine_micrograms) as pool
        from orders o left join receipts r using (partner_id, order_id)
        left join pool_versions v on v.version_id = o.pool_version_id`;
      for (const { id, jws, pool } of rows) {
        assert(jws !== null, `${id} has no receipt`);
        const { faults, receipt } = await verifyReceipt({ jws, keys });
        assertEquals(faults, [], id);
        const { pool: named, share } = receipt!;
        assertEquals(
          [named.id, named.version, named.hash, share.partnerMicrograms, share.poolMicrograms]
            .join(" "),
          pool,
        );
        answered.delete(`${id} ${jws}`);
      }
      assertEquals([...answered.values()], [], "these were answered otherwise");
      return rows.length;
    },
  };
}
