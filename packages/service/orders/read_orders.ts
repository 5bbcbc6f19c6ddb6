import { formatId, type Order } from "@sabika/protocol";
import { and, desc, eq, getTableColumns } from "drizzle-orm";
import { type Database, type Inputs, preparedQuery } from "@sabika/database";
import {
  listedById,
  type Listing,
  type ListInputs,
  type ListQuery,
  readPage,
} from "../lists/list_query.ts";
import { orders } from "./tables.ts";

const { partnerId, cashAfterHalalas: _cash, goldAfterMicrograms: _gold, ...columns } =
  getTableColumns(orders);
const { orderId: id, executedAtMs: time } = columns;

/** The columns that {@link readOrder} needs; lists are long, so others are not read. */
export const ORDER_COLUMNS = columns;

type OrderRow = Omit<
  typeof orders.$inferSelect,
  "partnerId" | "cashAfterHalalas" | "goldAfterMicrograms"
>;

const selectOrder = preparedQuery((orm, values: Inputs<"partnerId" | "id">) =>
  orm.select(ORDER_COLUMNS).from(orders).where(
    and(eq(partnerId, values.partnerId), eq(id, values.id)),
  )
);

const selectOrders = preparedQuery((orm, values: ListInputs) =>
  orm.select(ORDER_COLUMNS).from(orders)
    .where(listedById({ partnerId, id, time, kind: "order" }, values))
    .orderBy(desc(id)).limit(values.limit)
);

/** One order without balances (Decision D11), or undefined when the partner has none of this id. */
export async function getOrder(
  { sql }: Database,
  query: { partnerId: number; orderId: string },
): Promise<Order | undefined> {
  const [row] = await selectOrder(sql, { partnerId: query.partnerId, id: query.orderId });
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

/** Makes of a row the order that the partner sees, without balances. */
export function readOrder({ orderId, quoteId, ...terms }: OrderRow): Order {
  return {
    id: formatId("ord", orderId),
    quoteId: formatId("qt", quoteId),
    status: "executed",
    createdAtMs: terms.executedAtMs,
    ...terms,
  };
}
