import type { Database } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { partners } from "../store/schema/mod.ts";

/** A partner by its names. */
export type PartnerName = Pick<
  typeof partners.$inferSelect,
  "partnerId" | "clientId" | "name" | "status"
>;

/** All partners, by client id. */
export function listPartners({ sql }: Database): Promise<PartnerName[]> {
  const { partnerId, clientId, name, status } = partners;
  return drizzle(sql).select({ partnerId, clientId, name, status }).from(partners)
    .orderBy(clientId);
}
