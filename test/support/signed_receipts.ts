import { assert, assertEquals } from "@std/assert";
import type { Database } from "@sabika/database";
import { readReceiptKeys } from "@sabika/identity/receipts";
import type { Secrets } from "@sabika/identity/secrets";
import { parseId, type ReceiptKey, verifyReceipt } from "@sabika/protocol";
import {
  createReceiptFinder,
  createReceiptSigner,
  makeReceipts,
  type ReceiptSigner,
} from "@sabika/service/receipts";
import { replayVersions, sumFine, writeVersion } from "@sabika/service/vault";

/** An order with its receipt. */
interface KeptReceipt {
  readonly id: string;
  readonly jws: string | null;
  readonly goldMicrograms: bigint;
  readonly pool: string;
  readonly version: number;
}

/**
 * Signs receipts as worker and routes do while faults strike, and judges at the end what is kept.
 *
 * @param mutate makes another signer of this one
 */
export function signReceipts(
  { database, secrets }: { database: Database; secrets: Secrets },
  mutate: (signer: ReceiptSigner) => ReceiptSigner = (signer) => signer,
) {
  let ms = 0;
  // After a failure the signer is tried again at once.
  const signer = mutate(
    createReceiptSigner({ control: database, secrets, now: () => ms += 60_000 }),
  );
  const find = createReceiptFinder({ reading: database, making: { database, signer } });
  const answered = new Map<string, string>();

  async function judgeReceipt(
    { id, jws, goldMicrograms, pool, version }: KeptReceipt,
    { keys, bars, micrograms }: { keys: readonly ReceiptKey[]; bars: string; micrograms: bigint },
  ): Promise<void> {
    assert(jws !== null, `${id} has no receipt`);
    const { faults, receipt } = await verifyReceipt({ jws, keys, bars });
    assertEquals(faults, [], id);
    assertEquals([receipt!.pool.id, receipt!.pool.version], [pool, version], id);
    const { partnerMicrograms, poolMicrograms } = receipt!.share;
    assertEquals(partnerMicrograms * micrograms, goldMicrograms * poolMicrograms, id);
    answered.delete(`${id} ${jws}`);
  }

  return {
    /** One round of the worker. */
    makeSome: () => makeReceipts(database, signer, 20),
    /** Makes all that are to be made. */
    async makeAll(): Promise<void> {
      while (await makeReceipts(database, signer));
    },
    /** Asks for the receipt of an order, as its partner does, and keeps it. */
    async ask(partnerId: number, id: string): Promise<void> {
      const found = await find({ partnerId, orderId: parseId("ord", id)! });
      if (found?.state !== "made") return;
      answered.set(`${id} ${found.jws}`, id);
    },
    /**
     * Each order has one receipt, which is that of every answer, names the order's version with the bars of that, and a
     * share that makes the partner's gold of their weight, to the microgram.
     */
    async judge(): Promise<number> {
      await this.makeAll();
      const keys = await readReceiptKeys(database.sql);
      const rows = await database.sql<KeptReceipt[]>`
        select 'ord_' || o.order_id as id, r.jws, o.gold_after_micrograms as "goldMicrograms", v.pool_id as pool,
          v.number as version
        from orders o left join receipts r using (partner_id, order_id)
        left join pool_versions v on v.version_id = o.pool_version_id order by v.pool_id, v.number`;
      let judged = 0;
      for (const poolId of new Set(rows.map(({ pool }) => pool))) {
        for await (const { number, version, bars } of replayVersions(database.sql, { poolId })) {
          const text = writeVersion(version!, bars);
          const micrograms = sumFine(bars);
          for (; rows[judged]?.pool === poolId && rows[judged]!.version === number; judged++) {
            await judgeReceipt(rows[judged]!, { keys, bars: text, micrograms });
          }
        }
      }
      assertEquals(judged, rows.length, "these name a version that there is not");
      assertEquals([...answered.values()], [], "these were answered otherwise");
      return rows.length;
    },
  };
}
