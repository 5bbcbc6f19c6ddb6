import type { Transaction } from "@sabika/database";
import { MAIN_POOL, makeVersion } from "@sabika/service/vault";
import { adoptChanges } from "./adopt_rows.ts";
import { postTransfer } from "./post_transfer.ts";

/** Adds a bar of fine gold to the vault, allocated to nobody. */
export async function addTestBar(
  sql: Transaction,
  serial: string,
  goldMicrograms: bigint,
): Promise<void> {
  await sql`
    insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms, pool_id)
    values (${serial}, 'Test', 10000, ${goldMicrograms}, ${MAIN_POOL})`;
  await makeVersion(sql, {}, MAIN_POOL, "add");
  await adoptChanges(sql);
}

/**
 * Adds a bar to the vault and allocates it to the partner, by a transfer. At most once for a partner: the
 * bar's serial number is made of `partnerId`.
 */
export async function giveGold(
  sql: Transaction,
  partnerId: number,
  goldMicrograms: bigint,
): Promise<void> {
  await addTestBar(sql, `T${partnerId}`, goldMicrograms);
  await sql`update vault set allocated_micrograms = allocated_micrograms + ${goldMicrograms}
    where pool_id = ${MAIN_POOL}`;
  await postTransfer(sql, {
    partnerId,
    asset: "XAU",
    debit: "vault",
    credit: "allocation",
    amount: goldMicrograms,
    sourceKind: "allocation",
    sourceId: crypto.randomUUID(),
  });
}
