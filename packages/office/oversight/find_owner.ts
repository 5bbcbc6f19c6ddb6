import { type IdPrefix, parseId } from "@sabika/protocol";
import { and, eq, sql } from "drizzle-orm";
import { type Database, drizzle } from "@sabika/database";
import { events } from "@sabika/service/events";
import { accounts } from "@sabika/service/ledger";
import { partners } from "@sabika/service/partners";
import { quotes } from "@sabika/service/quotes";
import { withdrawals } from "@sabika/service/withdrawals";

/** Tables whose key is partner and id, so that finding an id costs one lookup for each partner. */
const PLACES = {
  qt: [quotes, quotes.partnerId, quotes.quoteId],
  evt: [events, events.partnerId, events.eventId],
  wd: [withdrawals, withdrawals.partnerId, withdrawals.withdrawalId],
} as const;

/** A prefix of the ids whose owners can be found. */
type OwnedPrefix = keyof typeof PLACES & IdPrefix;

/** The partner that a resource belongs to. */
export interface Owner {
  readonly partnerId: number;
  readonly clientId: string;
  /** The UUID in the resource's id. */
  readonly uuid: string;
}

/**
 * Finds the partner whose resource an id names.
 *
 * @param id as partners have it, such as `qt_…`
 * @returns undefined when it is not such an id, or no partner has the resource
 */
export async function findOwner(
  { sql: pool }: Database,
  prefix: OwnedPrefix,
  id: string,
): Promise<Owner | undefined> {
  const uuid = parseId(prefix, id);
  if (uuid === undefined) return undefined;
  const [table, partnerId, key] = PLACES[prefix];
  const orm = drizzle(pool);
  const owned = orm.select({ found: sql`1`.as("found") }).from(table)
    .where(and(eq(partnerId, partners.partnerId), eq(key, uuid))).limit(1).as("owned");
  const [row] = await orm.select({ partnerId: partners.partnerId, clientId: partners.clientId })
    .from(partners).innerJoin(accounts, eq(accounts.partnerId, partners.partnerId))
    .crossJoinLateral(owned).limit(1);
  return row && { ...row, uuid };
}
