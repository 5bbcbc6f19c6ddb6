import type { Order, Side } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import { type Database, type Given, preparedQuery } from "@sabika/database";
import { ORDER_COLUMNS, orders, readOrder } from "@sabika/service/orders";
import { type FilterOfAll, type GivenOfAll, newestOfAll, oldestLookedAt } from "./newest_of_all.ts";
import { type PartOfAll, readPartOfAll } from "./page_of_all.ts";

/** Which orders are listed; what is left out narrows nothing. */
export interface TradeFilter extends FilterOfAll {
  readonly side?: Side | undefined;
}

/** An order, and whose it is. */
export interface Trade extends Order {
  readonly clientId: string;
}

const { partnerId, orderId: id, executedAtMs: time, side } = orders;

const selectTrades = preparedQuery((orm, filter: GivenOfAll & Given<never, "side">) => {
  const page = newestOfAll(
    orm,
    { partnerId, id, time },
    filter,
    filter.side && eq(side, filter.side),
  );
  return orm.select({ clientId: page.clientId, order: ORDER_COLUMNS }).from(page)
    .innerJoin(orders, and(eq(partnerId, page.partnerId), eq(id, page.id)))
    .orderBy(desc(page.id));
});

const selectOldest = preparedQuery((orm, filter: Given<"skipped"> & Omit<GivenOfAll, "limit">) =>
  oldestLookedAt(orm, { partnerId, id }, filter)
);

/**
 * Orders of all partners or one, newest first. Of one side a page may have fewer than its limit, even
 * none, and yet go on.
 */
export async function listTrades(
  { sql }: Database,
  { side, ...filter }: TradeFilter,
): Promise<PartOfAll<Trade>> {
  return await readPartOfAll(sql, filter, {
    prefix: "ord",
    read: (values) => selectTrades(sql, { ...values, side }),
    oldest: side && selectOldest,
    idOf: ({ order }) => order.orderId,
    itemOf: ({ clientId, order }) => ({ ...readOrder(order), clientId }),
  });
}
