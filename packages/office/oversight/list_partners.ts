import { type Database, drizzle } from "@sabika/database";
import { partners } from "@sabika/service/partners";

/** A partner's ids, name and status. */
export type PartnerName = Pick<
  typeof partners.$inferSelect,
  "partnerId" | "clientId" | "name" | "status"
>;

/** Lists all partners, sorted by client id. */
export function listPartners({ sql }: Database): Promise<PartnerName[]> {
  const { partnerId, clientId, name, status } = partners;
  return drizzle(sql).select({ partnerId, clientId, name, status }).from(partners)
    .orderBy(clientId);
}
