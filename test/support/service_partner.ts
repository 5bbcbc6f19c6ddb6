import { type Admission, admitPartner, type PartnerAdminContext } from "@sabika/office/partners";
import { importPrivatePem } from "@sabika/protocol";
import { testRecord } from "../secret_search/record.ts";
import { anAdmission } from "./test_admin.ts";
import { giveGold } from "./test_vault.ts";
import { makeSigningRequest } from "./test_request.ts";

/** A partner with its kit, for requests that a test makes right or wrong. */
export type ServicePartner = Awaited<ReturnType<typeof admitWithGold>>;

/** Admits a partner with its whole kit and gives it an allocation of gold. */
export async function admitWithGold(
  admin: PartnerAdminContext,
  clientId: string,
  gold: bigint,
  more: Partial<Admission> = {},
) {
  const keys = admin.environment === "production" ? await makeOwnKeys(clientId) : undefined;
  const admitted = await admitPartner(
    admin,
    anAdmission(clientId, { ...keys?.admission, ...more }),
  );
  if (!admitted.ok) throw new Error(`${clientId} was not admitted: ${admitted.code}`);
  const { partnerId, certificate } = admitted.value;
  const kit = { ...admitted.value.kit, ...keys?.keys };
  testRecord.secretsIn(kit.clientSecret, kit.webhookSecret, kit.clientKeyPem, kit.signingKeyPem);
  const key = await importPrivatePem(kit.signingKeyPem!);
  if (!key.ok) throw new Error(key.code);
  if (gold > 0n) await admin.database.sql.begin((sql) => giveGold(sql, partnerId, gold));
  return { clientId, partnerId, certificate: certificate!, kit, signingKey: key.key };
}

/** Makes what production requires (Decision D70): requests with the partner's own keys, and an address. */
async function makeOwnKeys(clientId: string) {
  const tls = await makeSigningRequest(clientId);
  const signing = await makeSigningRequest(clientId);
  const requests = { csr: tls.csr, signingKey: signing.csr };
  return {
    admission: { ...requests, withKeys: false, addresses: ["127.0.0.1"] },
    keys: { clientKeyPem: tls.keyPem, signingKeyPem: signing.keyPem },
  };
}
