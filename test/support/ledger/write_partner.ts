import type { Transaction } from "@sabika/database";
import { at, type Book, idAt, openBook } from "./book.ts";
import {
  EXECUTED,
  FUNDINGS,
  IDS,
  MINUTE,
  ORDERS,
  priceOf,
  PRICES,
  QUOTES,
  SECOND,
  SINCE,
  VERSION_OF,
  WITHDRAWALS,
} from "./names.ts";

/** Writes the rows of a partner. Each partner has the same ids, and `partnerId` times the amounts. */
export async function writePartner(sql: Transaction, partnerId: number): Promise<Book> {
  const book = openBook(partnerId);
  addFunding(book, "opening");
  const begin = FUNDINGS.opening.at;
  book.post(begin, "allocation", idAt(begin, 4), ["vault", "allocation"], 1_000_000_000n);
  book.closeDay();
  for (const name of ["lost", "gone", "unpriced", "plain"] as const) {
    await addOrder(sql, book, name, 1);
  }
  for (const name of ["keyless", "keyed"] as const) {
    addFunding(book, name);
    addQuote(book, name, 2);
  }
  addWithdrawal(book, "pending");
  const firstEvent = book.next("events");
  await addOrder(sql, book, "last", 2);
  addQuote(book, "late", 3);
  book.closeDay();
  // Of three partners with rows two have a recount that is kept.
  if (partnerId < 3) {
    book.add("recounts", {
      ...{ since: at(SINCE), first_transfer: book.next("transfers"), first_event: firstEvent },
      ...{ first_generation: 1, ...book.columns() },
    });
  }
  await addOrder(sql, book, "first", 2);
  addFunding(book, "new");
  addQuote(book, "early", 3);
  addWithdrawal(book, "processing");
  addFunding(book, "transfer");
  book.closeDay();
  for (const name of ["completed", "failed", "cancelled"] as const) addWithdrawal(book, name);
  await addOrder(sql, book, "untaxed", 3);
  await addOrder(sql, book, "taxed", 4);
  book.add("accounts", {
    ...{ ...book.columns(), last_transfer: book.next("transfers") - 1 },
    // As of the beginning of the fourth generation.
    ...{ last_event: book.next("events") - 1, last_key: 400_000 },
    ...{ open_quotes: 0, digested_parts: 0, pool_number: 1 },
  });
  return book;
}

async function addOrder(
  sql: Transaction,
  book: Book,
  name: keyof typeof ORDERS,
  generation: number,
): Promise<void> {
  const { at: received, side, vat: [goldVat, feeVat], keeps } = ORDERS[name];
  const ms = Date.parse(received);
  const executed = EXECUTED[name] ?? ms;
  const [id, quoteId] = [IDS.orders[name], IDS.quotes[name]];
  const gold = 1_000_000n * BigInt(book.partnerId);
  const mid = keeps === "price" ? PRICES.earliest[1] : PRICES.newest[1];
  const [terms] = await sql<Record<"price" | "fee" | "fee_vat" | "vat" | "total", bigint>[]>`
    select * from price_terms(${side}, ${gold}, ${mid}::bigint, 5000, 2500, ${goldVat}::bigint,
      ${feeVat}::bigint)`;
  const { price, fee, fee_vat, vat, total } = terms!;
  const isBuy = side === "buy";
  const post = book.post.bind(book, executed, "order", id);
  post(isBuy ? ["cash", "house_cash"] : ["house_cash", "cash"], total);
  post(isBuy ? ["allocation", "gold"] : ["gold", "allocation"], gold);
  const { cash, gold: goldAfter } = book.balances;
  const shown = { cash_after_halalas: String(cash), gold_after_micrograms: String(goldAfter) };
  // Older orders have none.
  const isTaxed = keeps !== "nothing" && name !== "lost" && vat > 0n;
  if (isTaxed) post(["house_cash", "vat"], vat);

  const rates = { price_number: priceOf(name), spread_ppm: 5000, fee_ppm: 2500 };
  const parts = keeps === "parts" && {
    ...{ mid_ten_thousandths: mid, price_source: "feed", discloses_spread: true },
    ...{ gold_vat_ppm: goldVat, fee_vat_halalas: String(fee_vat) },
  };
  const asOf = { price_as_of: at(ms - 10 * SECOND) };
  const shared = {
    ...{ quote_id: quoteId, side, gold_micrograms: String(gold), ...parts },
    ...{ price_ten_thousandths: String(price), fee_halalas: String(fee) },
    ...{ vat_halalas: String(vat), total_halalas: String(total) },
  };
  const quotedMs = ms - 5 * SECOND;
  book.add("quotes", {
    ...{ ...shared, ...asOf, ...(keeps !== "nothing" && rates), vat_ppm: feeVat },
    ...{ created_at: at(quotedMs), expires_at: at(ms + 10 * SECOND) },
  });
  book.add("orders", {
    ...{ ...shared, ...shown, order_id: id, executed_at: at(executed) },
    ...(keeps === "parts" && { ...rates, ...asOf, fee_vat_ppm: feeVat }),
    pool_version_id: VERSION_OF[name] ?? null,
  });
  book.addEvent("order.executed", id, executed);
  if (generation > 1) book.addKey("quote", quoteId, quotedMs, generation);
  book.addKey("order", id, executed, generation);
  // The first one was signed by a clock that is ten minutes slow.
  if (executed >= SINCE) book.addNonce(name === "first" ? SINCE - 10 * MINUTE : ms);
}

function addFunding(book: Book, name: keyof typeof FUNDINGS): void {
  const { at: ms, reference, halalas } = FUNDINGS[name];
  const [id, amount] = [IDS.fundings[name], halalas * BigInt(book.partnerId)];
  book.post(ms, "funding", id, ["bank", "cash"], amount);
  book.add("fundings", {
    ...{ funding_id: id, amount_halalas: String(amount), created_at: at(ms), reference },
    cash_after_halalas: String(book.balances.cash),
  });
  if (reference === null && name !== "keyless") book.addKey("funding", id, ms);
}

function addWithdrawal(book: Book, name: keyof typeof WITHDRAWALS): void {
  const [id, ms] = [IDS.withdrawals[name], WITHDRAWALS[name]];
  const amount = 500n * BigInt(book.partnerId);
  book.post(ms, "withdrawal", id, ["cash", "withdrawals"], amount);
  book.addKey("withdrawal", id, ms);
  if (name === "completed") {
    book.post(ms, "withdrawal_payout", id, ["withdrawals", "bank"], amount);
  }
  if (name === "failed" || name === "cancelled") {
    book.post(ms, "withdrawal_return", id, ["withdrawals", "cash"], amount);
  }
  if (name === "cancelled") book.addKey("withdrawal", id, ms);
  book.addEvent(`withdrawal.${name}`, id, ms);
  book.add("withdrawals", {
    ...{ withdrawal_id: id, amount_halalas: String(amount), status: name },
    ...{ created_at: at(ms), iban: "SA0380000000608010167519" },
  });
}

function addQuote(book: Book, name: keyof typeof QUOTES, generation: number): void {
  const [id, ms] = [IDS.quotes[name], QUOTES[name]];
  book.add("quotes", {
    ...{ quote_id: id, side: "buy", created_at: at(ms), expires_at: at(ms + 15 * SECOND) },
    ...{ gold_micrograms: 1, price_ten_thousandths: 1, price_as_of: at(ms), total_halalas: 1 },
    ...{ fee_halalas: 0, vat_ppm: 0, vat_halalas: 0 },
  });
  if (name !== "keyless") book.addKey("quote", id, ms, generation);
}
