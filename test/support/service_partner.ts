import { postTransfer } from "@sabika/core/ledger";
import { admitPartner, type Kit, type PartnerAdminContext } from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import { importPrivatePem } from "@sabika/protocol";
import { testRecord } from "../secret_search/record.ts";
import { anAdmission } from "./test_admin.ts";

/** A partner with its whole kit, whose mistakes a test chooses. */
export interface ServicePartner {
  readonly clientId: string;
  readonly partnerId: number;
  readonly kit: Kit;
  readonly signingKey: CryptoKey;
}

/** Admits a partner with its whole kit and gives it an allocation of gold. */
export async function admitWithGold(
  admin: PartnerAdminContext,
  clientId: string,
  gold: bigint,
): Promise<ServicePartner> {
  const admitted = await admitPartner(admin, anAdmission(clientId));
  if (!admitted.ok) throw new Error(`${clientId} was not admitted: ${admitted.code}`);
  const { partnerId, kit } = admitted.value;
  testRecord.secretsIn(kit.clientSecret, kit.webhookSecret, kit.clientKeyPem, kit.signingKeyPem);
  const key = await importPrivatePem(kit.signingKeyPem!);
  if (!key.ok) throw new Error(key.code);
  if (gold > 0n) await giveGold(admin.database, partnerId, gold);
  return { clientId, partnerId, kit, signingKey: key.key };
}

/** A bar into the vault and all of it into the partner's allocation, by a transfer. */
async function giveGold({ sql }: Database, partnerId: number, gold: bigint): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`
      insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms)
      values (${`T${partnerId}`}, 'Test', 9999, ${gold})`;
    await sql`
      update vault set bars_micrograms = bars_micrograms + ${gold},
        allocated_micrograms = allocated_micrograms + ${gold}`;
    await postTransfer(sql, {
      partnerId,
      asset: "XAU",
      debit: "vault",
      credit: "allocation",
      amount: gold,
      sourceKind: "allocation",
      sourceId: crypto.randomUUID(),
    });
  });
}
