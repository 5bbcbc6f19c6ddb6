import type { Database } from "@sabika/database";
import type { Kit } from "@sabika/identity/keys";
import { admitPartner, type PartnerAdminContext } from "@sabika/office/partners";
import type { Deployment } from "@sabika/service/deployment";
import { random } from "../random.ts";
import { givePlenty } from "./give_plenty.ts";

/** A partner of the bench with its credentials. */
export interface BenchPartner {
  partnerId: number;
  kit: Kit;
  certificateHash: string;
}

/**
 * Admits partners as the operator does, and gives them more money and gold than they can spend, and limits
 * that they never reach. They have no webhook endpoint: events are written but not delivered.
 */
export async function admitPartners(
  database: Database,
  deployment: Deployment,
  count: number,
): Promise<BenchPartner[]> {
  const admin: PartnerAdminContext = {
    database,
    ...deployment,
    endpoints: {
      allowLoopback: true,
      resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
    },
    actor: { who: "bench", from: "loadtest" },
    now: Date.now,
    random,
  };
  const partners: BenchPartner[] = [];
  for (let number = 1; number <= count; number++) {
    const admitted = await admitPartner(admin, {
      clientId: `bank-${number}`,
      name: `Bank ${number}`,
      iban: "SA0380000000608010167519",
      webhookUrl: "https://localhost:9443/webhooks",
      withKeys: true,
    });
    if (!admitted.ok) throw new Error(`a partner was refused: ${JSON.stringify(admitted)}`);
    const { partnerId, kit, certificate } = admitted.value;
    partners.push({ partnerId, kit, certificateHash: certificate!.hashHex });
  }
  const limit = { perSecond: 1_000_000, burst: 1_000_000 };
  const limits = JSON.stringify({
    token: limit,
    read: limit,
    write: limit,
    signed: limit,
    nonces: limit,
  });
  await database.sql.begin(async (sql) => {
    await sql`update register_state set revision = revision + 1`;
    await sql`
      update partners set webhook_url = null, open_quotes_limit = 1000000000, rate_limits = ${limits}::text::jsonb,
        revision = (select revision from register_state)`;
  });
  await givePlenty(database);
  return partners;
}
