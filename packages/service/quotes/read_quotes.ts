import { formatId, formatTime, type Quote } from "@sabika/protocol";
import { and, desc, eq, gt, isNotNull, lte, sql } from "drizzle-orm";
import { type Database, type drizzle, type Inputs, preparedQuery } from "@sabika/database";
import {
  idAt,
  listedById,
  type Listing,
  type ListInputs,
  type ListQuery,
  readPage,
} from "../lists/list_query.ts";
import { orders } from "../orders/tables.ts";
import { requestedMoney } from "./make_quotes.ts";
import { quotes } from "./tables.ts";
import { tradeParts } from "../orders/trade_parts.ts";

const { partnerId, quoteId: id, createdAtMs: time, expiresAtMs } = quotes;

/** The id of an open quote is at most this old: 60 seconds, and the wait for a batch. */
const OPEN_SINCE_MS = 120_000;

/** A query of quotes with the order that executed each. */
function withOrders(orm: ReturnType<typeof drizzle>) {
  return orm.select({ quote: quotes, orderId: orders.orderId }).from(quotes)
    .leftJoin(orders, and(eq(orders.partnerId, partnerId), eq(orders.quoteId, id)));
}

const selectQuote = preparedQuery((orm, values: Inputs<"partnerId" | "id">) =>
  withOrders(orm).where(and(eq(partnerId, values.partnerId), eq(id, values.id)))
);

/** A subquery for each quote, since a page needs few: a join would be planned for all of them. */
const HAS_NO_ORDER = sql`coalesce((select false from ${orders} as own
  where own.partner_id = ${partnerId} and own.quote_id = ${id}), true)`;

const selectQuotes = preparedQuery(
  (orm, values: ListInputs & Inputs<never, "executed" | "expiredAt" | "openAt" | "openSince">) => {
    const { executed, expiredAt, openAt, openSince } = values;
    // Found by orders, since few of many quotes may be executed.
    const by = executed ? { partnerId: orders.partnerId, id: orders.quoteId } : { partnerId, id };
    return withOrders(orm)
      .where(and(
        listedById({ ...by, time, kind: "quote" }, values),
        executed && isNotNull(orders.orderId),
        (expiredAt || openAt) && HAS_NO_ORDER,
        expiredAt && lte(expiresAtMs, expiredAt),
        openAt && gt(expiresAtMs, openAt),
        openSince && gt(id, openSince),
      ))
      .orderBy(desc(by.id)).limit(values.limit);
  },
);

type Row = Awaited<ReturnType<typeof selectQuote>>[number];

/** One quote with its present state, or undefined when the partner has none of this id. */
export async function getQuote(
  { sql }: Database,
  query: { partnerId: number; quoteId: string; nowMs: number },
): Promise<Quote | undefined> {
  const [row] = await selectQuote(sql, { partnerId: query.partnerId, id: query.quoteId });
  return row && readQuote(row, query.nowMs);
}

/** Quotes, newest first. */
export function listQuotes(
  { sql }: Database,
  query: ListQuery & { nowMs: number },
): Promise<Listing<Quote>> {
  const status = statusValues(query);
  return readPage(
    "quotes",
    query,
    async (values) => status ? await selectQuotes(sql, { ...values, ...status }) : [],
    (row) => readQuote(row, query.nowMs),
    (row) => row.quote.quoteId,
  );
}

/** The values that select a status; undefined when no quote can have it. */
function statusValues({ status, nowMs }: { status?: string | undefined; nowMs: number }) {
  switch (status) {
    case undefined:
      return {};
    case "executed":
      return { executed: 1 };
    case "expired":
      return { expiredAt: formatTime(nowMs) };
    case "open":
      // Ids contain their time: without the bound, a short list would read every quote ever made.
      return { openAt: formatTime(nowMs), openSince: idAt(nowMs - OPEN_SINCE_MS) };
    default:
      return undefined;
  }
}

/** Makes a quote of a row, with its state at `nowMs`. */
export function readQuote({ quote, orderId }: Row, nowMs: number): Quote {
  return {
    id: formatId("qt", quote.quoteId),
    status: orderId !== null ? "executed" : nowMs < quote.expiresAtMs ? "open" : "expired",
    orderId: orderId === null ? null : formatId("ord", orderId),
    side: quote.side,
    goldMicrograms: quote.goldMicrograms,
    pricePerGramTenThousandths: quote.pricePerGramTenThousandths,
    feeHalalas: quote.feeHalalas,
    vatRatePpm: quote.vatRatePpm,
    vatHalalas: quote.vatHalalas,
    totalHalalas: quote.totalHalalas,
    priceAsOfMs: quote.priceAsOfMs,
    createdAtMs: quote.createdAtMs,
    expiresAtMs: quote.expiresAtMs,
    ...tradeParts({ ...quote, feeVatRatePpm: quote.vatRatePpm }),
    ...requestedMoney(quote.requestedHalalas),
  };
}
