import type { Quote, Side } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import type { Database } from "../store/database.ts";
import { type Given, preparedQuery } from "../store/prepared_query.ts";
import { orders, quotes } from "../store/schema/mod.ts";
import { readQuote } from "../trading/reading/quotes.ts";
import { type FilterOfAll, type GivenOfAll, newestOfAll, valuesOfAll } from "./newest_of_all.ts";

/** Which quotes are listed; what is left out narrows nothing. */
export interface QuoteFilter extends FilterOfAll {
  readonly side?: Side | undefined;
}

/** A quote, and whose it is. */
export interface QuoteOf extends Quote {
  readonly clientId: string;
}

const { partnerId, quoteId: id, createdAt: time, side } = quotes;

const selectQuotes = preparedQuery((orm, given: GivenOfAll & Given<never, "side">) => {
  const page = newestOfAll(
    orm,
    { partnerId, id, time },
    given,
    given.side && eq(side, given.side),
  );
  return orm.select({ clientId: page.clientId, quote: quotes, orderId: orders.orderId }).from(page)
    .innerJoin(quotes, and(eq(partnerId, page.partnerId), eq(id, page.id)))
    .leftJoin(orders, and(eq(orders.partnerId, page.partnerId), eq(orders.quoteId, page.id)))
    .orderBy(desc(page.id));
});

/**
 * Quotes of all partners or one, newest first.
 *
 * @param nowMs the moment that decides which have expired
 */
export async function listQuotesOfAll(
  { sql }: Database,
  nowMs: number,
  { side, ...filter }: QuoteFilter,
): Promise<{ quotes: QuoteOf[]; hasMore: boolean }> {
  const rows = await selectQuotes(sql, { ...valuesOfAll(filter), side });
  return {
    quotes: rows.slice(0, filter.limit)
      .map(({ clientId, ...row }) => ({ ...readQuote(row, nowMs), clientId })),
    hasMore: rows.length > filter.limit,
  };
}
