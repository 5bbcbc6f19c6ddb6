import type { Sql } from "../store/database.ts";

/** A partner and the source addresses that it registered. */
export interface PartnerAddresses {
  clientId: string;
  /** CIDRs in normal form; none = anywhere. */
  addresses: string[];
}

/**
 * Reads every partner's source addresses, as who divides connections by them needs it.
 *
 * @returns the partners in the order in which they were admitted, so that a new one comes last
 */
export async function readAddresses(sql: Sql): Promise<PartnerAddresses[]> {
  return await sql<PartnerAddresses[]>`
    select client_id as "clientId", array_to_json(array(
        select cidr from source_addresses a where a.partner_id = p.partner_id order by cidr
      )) as addresses
    from partners p order by partner_id`;
}
