import type { Order } from "@sabika/protocol";
import { desc } from "drizzle-orm";
import { ORDER_COLUMNS, orders, readOrder } from "@sabika/service/orders";
import { listOfAll } from "./list_of_all.ts";

/** An order, with its partner's id. */
export interface Trade extends Order {
  readonly clientId: string;
}

/** Makes of a row the order that the operator sees: with mid price and spread. */
export function readTrade(row: Parameters<typeof readOrder>[0]): Order {
  return readOrder({ ...row, disclosesSpread: true });
}

/**
 * Lists orders of all partners or one, newest first. With a side, a page may have fewer orders than its
 * limit, even none, although older ones may follow.
 */
export const listTrades = listOfAll(
  {
    prefix: "ord",
    key: { partnerId: orders.partnerId, id: orders.orderId, time: orders.executedAtMs },
    filters: { side: orders.side },
    isSearched: true,
  },
  (orm, { page, isRow }) =>
    orm.select({ clientId: page.clientId, rowId: orders.orderId, order: ORDER_COLUMNS }).from(page)
      .innerJoin(orders, isRow).orderBy(desc(page.id)),
  ({ clientId, order }): Trade => ({ ...readTrade(order), clientId }),
);
