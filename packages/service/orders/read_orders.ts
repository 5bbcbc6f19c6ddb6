import { formatId, type Order } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import { type Database, type Given, preparedQuery } from "@sabika/database";
import {
  listedById,
  type ListGiven,
  type Listing,
  type ListQuery,
  readPage,
} from "../lists/list_query.ts";
import { orders } from "./tables.ts";

const { partnerId, orderId: id, executedAt: time } = orders;

/** What {@link readOrder} needs: lists are long, so what nobody sees is not read. */
export const ORDER_COLUMNS = {
  orderId: orders.orderId,
  quoteId: orders.quoteId,
  side: orders.side,
  goldMicrograms: orders.goldMicrograms,
  priceTenThousandths: orders.priceTenThousandths,
  feeHalalas: orders.feeHalalas,
  vatHalalas: orders.vatHalalas,
  totalHalalas: orders.totalHalalas,
  clientReference: orders.clientReference,
  executedAt: orders.executedAt,
};

type OrderRow = Pick<typeof orders.$inferSelect, keyof typeof ORDER_COLUMNS>;

const selectOrder = preparedQuery((orm, given: Given<"partnerId" | "id">) =>
  orm.select(ORDER_COLUMNS).from(orders).where(
    and(eq(partnerId, given.partnerId), eq(id, given.id)),
  )
);

const selectOrders = preparedQuery((orm, given: ListGiven) =>
  orm.select(ORDER_COLUMNS).from(orders)
    .where(listedById({ partnerId, id, time, kind: "order" }, given))
    .orderBy(desc(id)).limit(given.limit)
);

/** One order without balances (Decision D11), or undefined when the partner has none of this id. */
export async function getOrder(
  { sql }: Database,
  of: { partnerId: number; orderId: string },
): Promise<Order | undefined> {
  const [row] = await selectOrder(sql, { partnerId: of.partnerId, id: of.orderId });
  return row && readOrder(row);
}

/** Orders, newest first. */
export function listOrders({ sql }: Database, query: ListQuery): Promise<Listing<Order>> {
  const { status = "executed" } = query;
  return readPage(
    "orders",
    query,
    async (values) => status === "executed" ? await selectOrders(sql, values) : [],
    readOrder,
    (row) => row.orderId,
  );
}

/** A row as the partner sees it, without the balances after it. */
export function readOrder(row: OrderRow): Order {
  return {
    id: formatId("ord", row.orderId),
    quoteId: formatId("qt", row.quoteId),
    status: "executed",
    side: row.side,
    goldMicrograms: row.goldMicrograms,
    pricePerGramTenThousandths: row.priceTenThousandths,
    feeHalalas: row.feeHalalas,
    vatHalalas: row.vatHalalas,
    totalHalalas: row.totalHalalas,
    clientReference: row.clientReference,
    createdAtMs: row.executedAt,
    executedAtMs: row.executedAt,
  };
}
