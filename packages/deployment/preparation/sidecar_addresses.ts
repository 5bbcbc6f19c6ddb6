import type { Database } from "@sabika/database";
import { readAddresses } from "@sabika/service/partners";
import { handAddresses, type RegisteredPartner, type SidecarSettings } from "@sabika/sidecar";

/** The registered addresses as the sidecar takes them. */
export async function registeredPartners(database: Database): Promise<RegisteredPartner[]> {
  const partners = await readAddresses(database.sql);
  return partners.map(({ clientId, addresses }) => ({ partner: clientId, addresses }));
}

/**
 * Hands the sidecar the partners' addresses as they are registered now; nothing when they are as
 * they were.
 *
 * @param previous what was handed over last, as this function returned it
 * @throws Error when Envoy refuses them
 */
export async function renewSidecarAddresses(
  sidecar: SidecarSettings,
  database: Database,
  now: () => number,
  previous?: string,
): Promise<string> {
  const partners = await registeredPartners(database);
  const text = JSON.stringify(partners);
  if (text === previous) return text;
  const done = await handAddresses(sidecar, partners, String(now()));
  if (!done.ok) throw new Error(done.problem);
  return text;
}
