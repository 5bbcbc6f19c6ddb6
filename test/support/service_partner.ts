import { postTransfer } from "@sabika/core/ledger";
import { admitPartner, type PartnerAdminContext } from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import { importPrivatePem } from "@sabika/protocol";
import { testRecord } from "../secret_search/record.ts";
import { anAdmission } from "./test_admin.ts";
import { makeSigningRequest } from "./test_request.ts";

/** A partner with its whole kit, whose mistakes a test chooses. */
export type ServicePartner = Awaited<ReturnType<typeof admitWithGold>>;

/** Admits a partner with its whole kit and gives it an allocation of gold. */
export async function admitWithGold(
  admin: PartnerAdminContext,
  clientId: string,
  gold: bigint,
) {
  const own = admin.environment === "production" ? await ownKeys(clientId) : undefined;
  const admitted = await admitPartner(admin, anAdmission(clientId, own?.admission));
  if (!admitted.ok) throw new Error(`${clientId} was not admitted: ${admitted.code}`);
  const { partnerId } = admitted.value;
  const kit = { ...admitted.value.kit, ...own?.keys };
  testRecord.secretsIn(kit.clientSecret, kit.webhookSecret, kit.clientKeyPem, kit.signingKeyPem);
  const key = await importPrivatePem(kit.signingKeyPem!);
  if (!key.ok) throw new Error(key.code);
  if (gold > 0n) await giveGold(admin.database, partnerId, gold);
  return { clientId, partnerId, kit, signingKey: key.key };
}

/** What production asks for (Decision D70): the partner's own keys, and an address. */
async function ownKeys(clientId: string) {
  const tls = await makeSigningRequest(clientId);
  const signing = await makeSigningRequest(clientId);
  const requests = { csr: tls.csr, signingKey: signing.csr };
  return {
    admission: { ...requests, withKeys: false, addresses: ["127.0.0.1"] },
    keys: { clientKeyPem: tls.keyPem, signingKeyPem: signing.keyPem },
  };
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
