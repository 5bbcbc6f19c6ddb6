import type { Order } from "@sabika/protocol";
import { desc } from "drizzle-orm";
import { ORDER_COLUMNS, orders, readOrder } from "@sabika/service/orders";
import { listOfAll, type NewestOfAll, type Orm } from "./list_of_all.ts";

/** An order, with its partner's id. */
export interface Trade extends Order {
  readonly clientId: string;
}

/** Makes of a row the order that the operator sees: with mid price and spread. */
export function readTrade(row: Parameters<typeof readOrder>[0]): Order {
  return readOrder({ ...row, disclosesSpread: true });
}

const LIST = {
  prefix: "ord",
  key: { partnerId: orders.partnerId, id: orders.orderId, time: orders.executedAtMs },
} as const;

const select = (orm: Orm, { page, isRow }: NewestOfAll) =>
  orm.select({ clientId: page.clientId, rowId: orders.orderId, order: ORDER_COLUMNS }).from(page)
    .innerJoin(orders, isRow).orderBy(desc(page.id));

const tradeOf = ({ clientId, order }: {
  readonly clientId: string;
  readonly order: Parameters<typeof readOrder>[0];
}): Trade => ({ ...readTrade(order), clientId });

/**
 * Lists orders of all partners or one, newest first. With a side, a page may have fewer orders than its
 * limit, even none, although older ones may follow.
 */
export const listTrades = listOfAll(
  { ...LIST, filters: { side: orders.side }, isSearched: true },
  select,
  tradeOf,
);

/** Finds orders by what no index has: it reads all of the period, which should be a short one. */
export const findTrades = listOfAll(
  {
    ...LIST,
    filters: { clientReference: orders.clientReference, totalHalalas: orders.totalHalalas },
  },
  select,
  tradeOf,
);
