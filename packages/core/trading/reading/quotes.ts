import { formatId, type Quote } from "@sabika/protocol";
import type { Database } from "../../store/database.ts";
import {
  idAt,
  idConditions,
  type Listing,
  type ListQuery,
  readCursor,
  toPage,
} from "../../store/list_query.ts";

interface Row {
  quote_id: string;
  order_id: string | null;
  side: "buy" | "sell";
  gold_micrograms: bigint;
  price_ten_thousandths: bigint;
  fee_halalas: bigint;
  vat_ppm: bigint;
  vat_halalas: bigint;
  total_halalas: bigint;
  price_as_of_ms: bigint;
  created_ms: bigint;
  expires_ms: bigint;
}

/** An open quote's id is no older: its 60 seconds, and the wait for a batch (`create_quotes` too). */
const OPEN_SINCE_MS = 120_000;

const COLUMNS = `q.quote_id, o.order_id, q.side, q.gold_micrograms, q.price_ten_thousandths,
  q.fee_halalas, q.vat_ppm, q.vat_halalas, q.total_halalas,
  (extract(epoch from q.price_as_of) * 1000)::bigint as price_as_of_ms,
  (extract(epoch from q.created_at) * 1000)::bigint as created_ms,
  (extract(epoch from q.expires_at) * 1000)::bigint as expires_ms
  from quotes q left join orders o on o.partner_id = q.partner_id and o.quote_id = q.quote_id`;

/** One quote with the state it is in now, or undefined when the partner has none of this id. */
export async function getQuote(
  { sql }: Database,
  of: { partnerId: number; quoteId: string; nowMs: number },
): Promise<Quote | undefined> {
  const [row] = await sql<Row[]>`
    select ${sql.unsafe(COLUMNS)}
    where q.partner_id = ${of.partnerId}::integer and q.quote_id = ${of.quoteId}::uuid`;
  return row && readRow(row, of.nowMs);
}

/** Quotes, newest first. */
export async function listQuotes(
  { sql }: Database,
  query: ListQuery & { nowMs: number },
): Promise<Listing<Quote>> {
  const cursor = readCursor("quotes", query.cursor);
  if (!cursor.ok) return cursor;
  const columns = { id: "q.quote_id", time: "q.created_at", kind: "quote" };
  const rows = await sql<Row[]>`
    select ${sql.unsafe(COLUMNS)}
    where q.partner_id = ${query.partnerId}::integer
      ${idConditions(sql, query, columns, cursor.key)}
      ${statusCondition(query)}
    order by q.quote_id desc limit ${query.limit + 1}::integer`;
  return toPage(
    "quotes",
    query.limit,
    rows,
    (row) => readRow(row, query.nowMs),
    (row) => row.quote_id,
  );

  function statusCondition({ status, nowMs }: ListQuery & { nowMs: number }) {
    if (status === undefined) return sql``;
    if (status === "executed") return sql`and o.order_id is not null`;
    const now = new Date(nowMs).toISOString();
    if (status === "open") {
      // Ids carry their time: without the bound a list of few or none reads every quote ever made.
      return sql`and o.order_id is null and q.expires_at > ${now}::timestamptz
        and q.quote_id > ${idAt(nowMs - OPEN_SINCE_MS)}::uuid`;
    }
    if (status === "expired") {
      return sql`and o.order_id is null and q.expires_at <= ${now}::timestamptz`;
    }
    return sql`and false`;
  }
}

function readRow(row: Row, nowMs: number): Quote {
  const expiresAtMs = Number(row.expires_ms);
  const executed = row.order_id !== null;
  return {
    id: formatId("qt", row.quote_id),
    status: executed ? "executed" : nowMs < expiresAtMs ? "open" : "expired",
    side: row.side,
    goldMicrograms: row.gold_micrograms,
    pricePerGramTenThousandths: row.price_ten_thousandths,
    feeHalalas: row.fee_halalas,
    vatRatePpm: row.vat_ppm,
    vatHalalas: row.vat_halalas,
    totalHalalas: row.total_halalas,
    priceAsOfMs: Number(row.price_as_of_ms),
    createdAtMs: Number(row.created_ms),
    expiresAtMs,
    orderId: row.order_id === null ? null : formatId("ord", row.order_id),
  };
}
