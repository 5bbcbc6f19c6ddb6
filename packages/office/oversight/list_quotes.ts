import type { Quote, Side } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import { type Database, type Given, preparedQuery } from "@sabika/database";
import { orders } from "@sabika/service/orders";
import { quotes, readQuote } from "@sabika/service/quotes";
import { type FilterOfAll, type GivenOfAll, newestOfAll, oldestLookedAt } from "./newest_of_all.ts";
import { type PartOfAll, readPartOfAll } from "./page_of_all.ts";

/** Which quotes are listed; what is left out narrows nothing. */
export interface QuoteFilter extends FilterOfAll {
  readonly side?: Side | undefined;
}

/** A quote, and whose it is. */
export interface QuoteOf extends Quote {
  readonly clientId: string;
}

const { partnerId, quoteId: id, createdAtMs: time, side } = quotes;

const selectQuotes = preparedQuery((orm, filter: GivenOfAll & Given<never, "side">) => {
  const page = newestOfAll(
    orm,
    { partnerId, id, time },
    filter,
    filter.side && eq(side, filter.side),
  );
  return orm.select({ clientId: page.clientId, quote: quotes, orderId: orders.orderId }).from(page)
    .innerJoin(quotes, and(eq(partnerId, page.partnerId), eq(id, page.id)))
    .leftJoin(orders, and(eq(orders.partnerId, page.partnerId), eq(orders.quoteId, page.id)))
    .orderBy(desc(page.id));
});

const selectOldest = preparedQuery((orm, filter: Given<"skipped"> & Omit<GivenOfAll, "limit">) =>
  oldestLookedAt(orm, { partnerId, id }, filter)
);

/**
 * Quotes of all partners or one, newest first. Of one side a page may have fewer than its limit, even
 * none, and yet go on.
 *
 * @param nowMs the moment that decides which have expired
 */
export async function listQuotesOfAll(
  { sql }: Database,
  nowMs: number,
  { side, ...filter }: QuoteFilter,
): Promise<PartOfAll<QuoteOf>> {
  return await readPartOfAll(sql, filter, {
    prefix: "qt",
    read: (values) => selectQuotes(sql, { ...values, side }),
    oldest: side && selectOldest,
    idOf: ({ quote }) => quote.quoteId,
    itemOf: ({ clientId, ...row }) => ({ ...readQuote(row, nowMs), clientId }),
  });
}
