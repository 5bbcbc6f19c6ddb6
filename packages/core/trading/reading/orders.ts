import { formatId, type Order } from "@sabika/protocol";
import type { Database } from "../../store/database.ts";
import {
  idConditions,
  type Listing,
  type ListQuery,
  readCursor,
  toPage,
} from "../../store/list_query.ts";

interface Row {
  order_id: string;
  quote_id: string;
  side: "buy" | "sell";
  gold_micrograms: bigint;
  price_ten_thousandths: bigint;
  fee_halalas: bigint;
  vat_halalas: bigint;
  total_halalas: bigint;
  client_reference: string | null;
  executed_ms: bigint;
}

const COLUMNS = `o.order_id, o.quote_id, o.side, o.gold_micrograms, o.price_ten_thousandths,
  o.fee_halalas, o.vat_halalas, o.total_halalas, o.client_reference,
  (extract(epoch from o.executed_at) * 1000)::bigint as executed_ms from orders o`;

/** One order without balances (Decision D11), or undefined when the partner has none of this id. */
export async function getOrder(
  { sql }: Database,
  of: { partnerId: number; orderId: string },
): Promise<Order | undefined> {
  const [row] = await sql<Row[]>`
    select ${sql.unsafe(COLUMNS)}
    where o.partner_id = ${of.partnerId}::integer and o.order_id = ${of.orderId}::uuid`;
  return row && readRow(row);
}

/** Orders, newest first. */
export async function listOrders({ sql }: Database, query: ListQuery): Promise<Listing<Order>> {
  const cursor = readCursor("orders", query.cursor);
  if (!cursor.ok) return cursor;
  const columns = { id: "o.order_id", time: "o.executed_at", kind: "order" };
  const rows = await sql<Row[]>`
    select ${sql.unsafe(COLUMNS)}
    where o.partner_id = ${query.partnerId}::integer
      ${idConditions(sql, query, columns, cursor.key)}
      ${query.status === undefined || query.status === "executed" ? sql`` : sql`and false`}
    order by o.order_id desc limit ${query.limit + 1}::integer`;
  return toPage("orders", query.limit, rows, readRow, (row) => row.order_id);
}

function readRow(row: Row): Order {
  const executedAtMs = Number(row.executed_ms);
  return {
    id: formatId("ord", row.order_id),
    quoteId: formatId("qt", row.quote_id),
    status: "executed",
    side: row.side,
    goldMicrograms: row.gold_micrograms,
    pricePerGramTenThousandths: row.price_ten_thousandths,
    feeHalalas: row.fee_halalas,
    vatHalalas: row.vat_halalas,
    totalHalalas: row.total_halalas,
    clientReference: row.client_reference,
    createdAtMs: executedAtMs,
    executedAtMs,
  };
}
