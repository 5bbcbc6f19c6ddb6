import { type PartnerAdminContext, updatePartner } from "@sabika/office/partners";
import type { ServicePartner } from "../service_partner.ts";

const LIMIT = { perSecond: 20_000, burst: 40_000 };

/** Gives a partner limits that no test's load reaches, and a webhook endpoint unless the URL is null. */
export async function makeUnlimited(
  admin: PartnerAdminContext,
  { clientId, partnerId }: ServicePartner,
  webhookUrl: string | null,
): Promise<void> {
  const updated = await updatePartner(admin, clientId, {
    openQuotesLimit: 100_000,
    rateLimits: { token: LIMIT, read: LIMIT, write: LIMIT, signed: LIMIT, nonces: LIMIT },
  });
  if (!updated.ok) throw new Error(`${clientId}: ${updated.code} ${updated.detail}`);
  await admin.database.sql`
    update partners set webhook_url = ${webhookUrl} where partner_id = ${partnerId}`;
}
