import { eq } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import { partners, sourceAddresses } from "./tables.ts";

/** A partner and the source addresses that it registered. */
export interface PartnerAddresses {
  clientId: string;
  /** CIDRs in normal form; when empty, the partner may call from anywhere. */
  addresses: string[];
}

/**
 * Reads every partner's source addresses, by which the sidecar divides its connections.
 *
 * @returns the partners in the order in which they were admitted, so that a new one comes last
 */
export async function readAddresses(sql: Sql): Promise<PartnerAddresses[]> {
  const rows = await drizzle(sql)
    .select({ clientId: partners.clientId, cidr: sourceAddresses.cidr })
    .from(partners)
    .leftJoin(sourceAddresses, eq(sourceAddresses.partnerId, partners.partnerId))
    .orderBy(partners.partnerId, sourceAddresses.cidr);
  const all = new Map<string, PartnerAddresses>();
  for (const { clientId, cidr } of rows) {
    const partner = all.get(clientId) ?? { clientId, addresses: [] };
    if (cidr !== null) partner.addresses.push(cidr);
    all.set(clientId, partner);
  }
  return [...all.values()];
}
