import { formatId, type Order } from "@sabika/protocol";
import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import { type Database, type Inputs, plainArray, preparedQuery } from "@sabika/database";
import {
  listedById,
  type Listing,
  type ListInputs,
  type ListQuery,
  readPage,
} from "../lists/list_query.ts";
import { tradeParts } from "./trade_parts.ts";
import { orders } from "./tables.ts";

const {
  partnerId,
  cashAfterHalalas: _cash,
  goldAfterMicrograms: _gold,
  priceNumber: _price,
  feeRatePpm: _fee,
  ...columns
} = getTableColumns(orders);
const { orderId: id, executedAtMs: time } = columns;

/** The columns that {@link readOrder} needs; lists are long, so others are not read. */
export const ORDER_COLUMNS = columns;

type OrderRow = Pick<typeof orders.$inferSelect, keyof typeof ORDER_COLUMNS>;

const selectOrder = preparedQuery((orm, values: Inputs<"partnerId" | "id">) =>
  orm.select(ORDER_COLUMNS).from(orders).where(
    and(eq(partnerId, values.partnerId), eq(id, values.id)),
  )
);

/** One array, since a list of ids would be another statement for each number of them. */
const selectByIds = preparedQuery((orm, values: Inputs<"partnerId" | "ids">) =>
  orm.select(ORDER_COLUMNS).from(orders)
    .where(and(eq(partnerId, values.partnerId), sql`${id} = any(${values.ids}::uuid[])`))
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

/** The orders of these ids, by their ids on the wire. */
export async function getOrders(
  { sql: pool }: Database,
  { partnerId, orderIds }: { partnerId: number; orderIds: readonly string[] },
): Promise<ReadonlyMap<string, Order>> {
  if (orderIds.length === 0) return new Map();
  const rows = await selectByIds(pool, { partnerId, ids: plainArray(orderIds) });
  return new Map(rows.map(readOrder).map((order) => [order.id, order]));
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
export function readOrder(row: OrderRow): Order {
  return {
    id: formatId("ord", row.orderId),
    quoteId: formatId("qt", row.quoteId),
    status: "executed",
    side: row.side,
    goldMicrograms: row.goldMicrograms,
    pricePerGramTenThousandths: row.pricePerGramTenThousandths,
    feeHalalas: row.feeHalalas,
    vatHalalas: row.vatHalalas,
    ...tradeParts(row),
    ...(row.priceAsOfMs !== null && { priceAsOfMs: row.priceAsOfMs }),
    totalHalalas: row.totalHalalas,
    clientReference: row.clientReference,
    createdAtMs: row.executedAtMs,
    executedAtMs: row.executedAtMs,
  };
}
