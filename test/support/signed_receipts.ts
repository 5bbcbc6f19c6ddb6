import { assert, assertEquals } from "@std/assert";
import type { Database } from "@sabika/database";
import { readReceiptKeys } from "@sabika/identity/receipts";
import type { Secrets } from "@sabika/identity/secrets";
import { parseId, verifyReceipt } from "@sabika/protocol";
import {
  createReceiptFinder,
  createReceiptSigner,
  makeReceipts,
  type ReceiptSigner,
} from "@sabika/service/receipts";
import { readListedBars, writeVersion } from "@sabika/service/vault";

/** The kind of version, and what its text says besides its bars. */
interface Version {
  poolId: string;
  number: number;
  previousHash: string | null;
  kind: "add" | "remove" | "replace";
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
  const versions = new Map<string, { bars: string; micrograms: bigint }>();

  /** The text of a version as its bars make it, and what they weigh together. */
  async function barsOf(version: Version) {
    const name = `${version.poolId} ${version.number}`;
    const known = versions.get(name);
    if (known !== undefined) return known;
    const listed = await readListedBars(database.sql, version);
    const made = {
      bars: writeVersion(version, listed),
      micrograms: listed.reduce((sum, { fineMicrograms }) => sum + fineMicrograms, 0n),
    };
    versions.set(name, made);
    return made;
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
      const rows = await database.sql<
        (Version & { id: string; jws: string | null; gold: bigint })[]
      >`
        select 'ord_' || o.order_id as id, r.jws, o.gold_after_micrograms as gold, v.pool_id as "poolId", v.number,
          v.previous_hash as "previousHash", v.kind
        from orders o left join receipts r using (partner_id, order_id)
        left join pool_versions v on v.version_id = o.pool_version_id`;
      for (const { id, jws, gold, ...version } of rows) {
        assert(jws !== null, `${id} has no receipt`);
        const { bars, micrograms } = await barsOf(version);
        const { faults, receipt } = await verifyReceipt({ jws, keys, bars });
        assertEquals(faults, [], id);
        const { pool, share } = receipt!;
        assertEquals([pool.id, pool.version], [version.poolId, version.number], id);
        assertEquals(share.partnerMicrograms * micrograms, gold * share.poolMicrograms, id);
        answered.delete(`${id} ${jws}`);
      }
      assertEquals([...answered.values()], [], "these were answered otherwise");
      return rows.length;
    },
  };
}
