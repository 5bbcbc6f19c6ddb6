import type { Database } from "@sabika/database";
import { readAddresses } from "@sabika/service/partners";
import { handAddresses, type RegisteredPartner, type SidecarSettings } from "@sabika/sidecar";

/** Reads the registered addresses of every partner, in the form that the sidecar reads. */
export async function registeredPartners(database: Database): Promise<RegisteredPartner[]> {
  const partners = await readAddresses(database.sql);
  return partners.map(({ clientId, addresses }) => ({ partner: clientId, addresses }));
}

/**
 * Hands the sidecar the partners' registered addresses if they differ from `previous`, and returns them.
 *
 * @param previous the result of the last call; without it the addresses are handed over in any case
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
