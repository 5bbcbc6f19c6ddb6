import { isIdempotencyKey, parseId } from "@sabika/protocol";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Database, drizzle } from "@sabika/database";
import { events } from "@sabika/service/events";
import { accounts } from "@sabika/service/ledger";
import { orders } from "@sabika/service/orders";
import { partners } from "@sabika/service/partners";

/**
 * Finds an order by its id, its quote's id, its event's id or its Idempotency-Key. When several partners
 * used a key, finds the order of the partner that was admitted first.
 *
 * @returns the partner and the order's UUID; undefined when there is none
 */
export async function findOrder(
  { sql }: Database,
  text: string,
): Promise<{ partnerId: number; orderId: string } | undefined> {
  const condition = conditionOf(text);
  if (condition === undefined) return undefined;
  const orm = drizzle(sql);
  const found = orm.select({ orderId: orders.orderId }).from(orders)
    .where(and(eq(orders.partnerId, partners.partnerId), condition)).limit(1).as("found");
  const [row] = await orm.select({ partnerId: partners.partnerId, orderId: found.orderId })
    .from(partners).innerJoin(accounts, eq(accounts.partnerId, partners.partnerId))
    .crossJoinLateral(found).orderBy(partners.partnerId).limit(1);
  return row;
}

/** Each condition is on an index that begins with the partner: a partner costs a few lookups. */
function conditionOf(text: string): SQL | undefined {
  const orderId = parseId("ord", text);
  const quoteId = parseId("qt", text);
  const eventId = parseId("evt", text);
  const { partnerId } = partners;
  if (orderId !== undefined) return eq(orders.orderId, orderId);
  if (quoteId !== undefined) return eq(orders.quoteId, quoteId);
  if (eventId !== undefined) {
    return sql`${orders.orderId} = (select ${events.resourceId} from ${events}
      where ${events.partnerId} = ${partnerId} and ${events.eventId} = ${eventId})`;
  }
  if (!isIdempotencyKey(text)) return undefined;
  // The table itself would be read through all keys of its partners, whose index begins with their generation.
  return sql`${orders.orderId} = (select resource_id
    from known_key(${partnerId}, short_hash(${text}::text)) where resource_kind = 'order')`;
}
