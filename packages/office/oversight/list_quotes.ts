import type { Quote } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import { orders } from "@sabika/service/orders";
import { quotes, readQuote } from "@sabika/service/quotes";
import { listOfAll } from "./list_of_all.ts";

/** A quote, with its partner's id. */
export interface QuoteOf extends Quote {
  readonly clientId: string;
}

/**
 * Lists quotes of all partners or one, newest first, with their status at `nowMs`. With a side, a page may
 * have fewer quotes than its limit, even none, although older ones may follow.
 */
export const listQuotesOfAll = listOfAll(
  {
    prefix: "qt",
    key: { partnerId: quotes.partnerId, id: quotes.quoteId, time: quotes.createdAtMs },
    filters: { side: quotes.side },
    isSearched: true,
  },
  (orm, { page, isRow }) =>
    orm.select({
      clientId: page.clientId,
      rowId: quotes.quoteId,
      quote: quotes,
      orderId: orders.orderId,
    }).from(page)
      .innerJoin(quotes, isRow)
      .leftJoin(orders, and(eq(orders.partnerId, page.partnerId), eq(orders.quoteId, page.id)))
      .orderBy(desc(page.id)),
  ({ clientId, rowId: _, ...row }, nowMs: number): QuoteOf => ({
    ...readQuote(row, nowMs),
    clientId,
  }),
);
