import { formatTime, type Order, type Side } from "@sabika/protocol";
import { and, desc, eq, gte, lt } from "drizzle-orm";
import type { Database } from "../store/database.ts";
import { idAt, madeInPeriod, SLACK_MS } from "../store/list_query.ts";
import { type Given, preparedQuery } from "../store/prepared_query.ts";
import { orders, partners } from "../store/schema/mod.ts";
import { ORDER_COLUMNS, readOrder } from "../trading/reading/orders.ts";

/** Which orders are listed; what is left out narrows nothing. */
export interface TradeFilter {
  readonly limit: number;
  /** The UUID of the order that the list goes on after. */
  readonly before?: string | undefined;
  readonly clientId?: string | undefined;
  readonly side?: Side | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

/** An order, and whose it is. */
export interface Trade extends Order {
  readonly clientId: string;
}

const { orderId: id, executedAt } = orders;

/**
 * Each partner's newest orders are read from its own end of the key, and of those the newest of all
 * make the page. So it costs what partners there are, not orders, and orders pay for no index more.
 */
const selectTrades = preparedQuery((
  orm,
  given: Given<"limit", "before" | "clientId" | "side" | "from" | "to" | "fromId" | "toId">,
) => {
  const newest = orm.select({ orderId: id }).from(orders)
    .where(and(
      eq(orders.partnerId, partners.partnerId),
      given.before && lt(id, given.before),
      given.fromId && gte(id, given.fromId),
      given.toId && lt(id, given.toId),
      madeInPeriod(executedAt, given),
      given.side && eq(orders.side, given.side),
    ))
    .orderBy(desc(id)).limit(given.limit).as("newest");
  const { partnerId, clientId } = partners;
  const page = orm.select({ partnerId, clientId, orderId: newest.orderId }).from(partners)
    .crossJoinLateral(newest)
    .where(given.clientId && eq(clientId, given.clientId))
    .orderBy(desc(newest.orderId)).limit(given.limit).as("page");
  return orm.select({ clientId: page.clientId, order: ORDER_COLUMNS }).from(page)
    .innerJoin(orders, and(eq(orders.partnerId, page.partnerId), eq(id, page.orderId)))
    .orderBy(desc(page.orderId));
});

/** Orders of all partners or one, newest first. */
export async function listTrades(
  { sql }: Database,
  { limit, before, clientId, side, fromMs, toMs }: TradeFilter,
): Promise<{ trades: Trade[]; hasMore: boolean }> {
  const rows = await selectTrades(sql, {
    ...{ limit: limit + 1, before, clientId, side },
    from: fromMs && formatTime(fromMs),
    to: toMs && formatTime(toMs),
    fromId: fromMs && idAt(fromMs - SLACK_MS),
    toId: toMs && idAt(toMs + SLACK_MS),
  });
  return {
    trades: rows.slice(0, limit).map(({ clientId, order }) => ({ ...readOrder(order), clientId })),
    hasMore: rows.length > limit,
  };
}
