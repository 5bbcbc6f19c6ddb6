import type { Database } from "@sabika/database";
import { readAddresses } from "@sabika/service/partners";
import { handAddresses, type RegisteredPartner, type SidecarSettings } from "@sabika/sidecar";

/** Reads every partner's registered addresses as the sidecar takes them, in order of admission. */
export async function readRegisteredPartners(database: Database): Promise<RegisteredPartner[]> {
  const partners = await readAddresses(database.sql);
  return partners.map(({ clientId, addresses }) => ({ partner: clientId, addresses }));
}

/**
 * Hands the sidecar the partners' registered addresses if they differ from `previous`. Where no Envoy
 * runs, they are stored for its next start.
 *
 * @param now epoch milliseconds; names the version, so it must differ from one handover to the next
 * @param previous the result of the last call; without it the addresses are handed over in any case
 * @returns the addresses as JSON text
 * @throws Error when Envoy refuses them or has not accepted them within 30 s, or when the database fails
 */
export async function renewSidecarAddresses(
  sidecar: SidecarSettings,
  database: Database,
  now: () => number,
  previous?: string,
): Promise<string> {
  const partners = await readRegisteredPartners(database);
  const text = JSON.stringify(partners);
  if (text === previous) return text;
  const change = await handAddresses(sidecar, partners, String(now()));
  if (!change.ok) throw new Error(change.problem);
  return text;
}
