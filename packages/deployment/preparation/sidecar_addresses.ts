import type { Database } from "@sabika/database";
import { readAddresses } from "@sabika/service/partners";
import { handAddresses, type RegisteredPartner, type SidecarSettings } from "@sabika/sidecar";

/** The registered addresses in the form that the sidecar reads. */
export async function registeredPartners(database: Database): Promise<RegisteredPartner[]> {
  const partners = await readAddresses(database.sql);
  return partners.map(({ clientId, addresses }) => ({ partner: clientId, addresses }));
}

/**
 * Gives the sidecar the partners' addresses as they are registered now, if they have changed.
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
