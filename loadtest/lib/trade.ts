import { check } from "k6";
import { goldUnits, halalas } from "./halalas.ts";
import { ordersExecuted, replaysAccepted, tradeDuration } from "./metrics.ts";
import { type Partner, refusesReplay, type SignedRequest } from "./partner.ts";
import { reportUnexpected } from "./report_unexpected.ts";

/** The members of a quote that are checked. */
export interface Quote {
  id: string;
  side: string;
  gold_grams: number;
  price_per_gram_sar: number;
  fee_sar: number;
  total_sar: number;
}

/** The members of an order that are checked. */
export interface Order extends Quote {
  quote_id: string;
  status: string;
  balances: { sar: number; gold_grams: number };
}

/** A quote that was executed, the signed order that did it, and the answer as text. */
export interface Trade {
  quote: Quote;
  order: Order;
  request: SignedRequest;
  key: string;
  body: string;
}

/** The size of a quote request: gold or money. */
export type QuoteSize = { gold_grams: number } | { amount_sar: number };

/**
 * Requests a quote and orders it. Checks statuses, and that the executed price, amount and total are exactly
 * the quoted ones.
 *
 * @returns undefined if anything was refused or wrong, which the checks have counted
 */
export async function trade(
  partner: Partner,
  side: "buy" | "sell",
  size: QuoteSize,
): Promise<Trade | undefined> {
  const startMs = Date.now();
  const quoted = partner.post("/v1/quotes", { side, ...size }, "quote", {
    "idempotency-key": crypto.randomUUID(),
  });
  if (!check(quoted, { "quote is 201": (answer) => answer.status === 201 })) {
    reportUnexpected(quoted);
    return undefined;
  }
  const quote = quoted.json() as unknown as Quote;
  const fits = check(quote, { "quote is for the requested size": (q) => isFor(q, side, size) });
  if (!fits) return undefined;

  const key = crypto.randomUUID();
  const request = await partner.sign("/v1/orders", { quote_id: quote.id }, { key });
  const ordered = partner.send(request, "order");
  if (!check(ordered, { "order is 201": (answer) => answer.status === 201 })) {
    reportUnexpected(ordered);
    return undefined;
  }
  const order = ordered.json() as unknown as Order;
  tradeDuration.add(Date.now() - startMs);
  ordersExecuted.add(1);

  const isRight = check(order, {
    "order executes the quote": (o) => o.quote_id === quote.id && o.status === "executed",
    "executed price is the quoted price": (o) => o.price_per_gram_sar === quote.price_per_gram_sar,
    "executed total is the quoted total": (o) => halalas(o.total_sar) === halalas(quote.total_sar),
    "executed amount is the quoted amount": (o) =>
      o.side === side && goldUnits(o.gold_grams) === goldUnits(quote.gold_grams),
    "no balance is below zero": (o) => o.balances.sar >= 0 && o.balances.gold_grams >= 0,
  });
  return isRight ? { quote, order, request, key, body: String(ordered.body) } : undefined;
}

/** Checks the quoted gold; for money, that the total fits the amount to within a step of gold. */
function isFor(quote: Quote, side: "buy" | "sell", size: QuoteSize): boolean {
  if ("gold_grams" in size) return goldUnits(quote.gold_grams) === goldUnits(size.gold_grams);
  const over = halalas(quote.total_sar) - halalas(size.amount_sar);
  // A step is 0.0001 g: its price, and what the rounding of each component can add.
  const step = quote.price_per_gram_sar / 100 * 2 + 4;
  return side === "buy" ? over <= 0 && over > -step : over >= 0 && over < step;
}

/**
 * Repeats an executed order in both ways, and returns whether both went right: the same bytes must be
 * refused, and the same key with a new signature must give the same answer and no second order.
 */
export async function repeat(partner: Partner, done: Trade): Promise<boolean> {
  const replayed = partner.send(done.request, "replay", 401);
  if (replayed.status === 200 || replayed.status === 201) replaysAccepted.add(1);
  const refused = check(replayed, { "the same bytes again are refused": refusesReplay });
  const retry = await partner.sign("/v1/orders", { quote_id: done.quote.id }, { key: done.key });
  const answer = partner.send(retry, "replay", 200);
  const same = check(answer, {
    "the same key signed afresh gives the first answer": (a) =>
      a.status === 200 && String(a.body) === done.body,
  });
  return refused && same;
}
