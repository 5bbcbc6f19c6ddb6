import { ORDER, ORDER_STATUSES, parseId, QUOTE, QUOTE_STATUSES, SIDES } from "@sabika/protocol";
import { QUOTE_OF, TRADE, TRADE_STORY } from "../wire/mod.ts";
import { type Column, CREATED, names, PARTNER, REFERENCE, STATUS } from "./columns.ts";
import { type Filter, OF_PARTNER, state } from "./filters.ts";
import { newestOfCells } from "./merge.ts";
import { oneOfPartner, pagesOfPartner } from "./of_partner.ts";
import { paged, type Read, single } from "./read.ts";

const SIDE: Filter = { values: SIDES, flag: { name: "side", brief: "Of this side alone" } };

/** Columns that a quote and its order have in common. */
const TERMS: Readonly<Record<string, Column>> = {
  side: { head: "SIDE", en: "Side", ar: "الجهة" },
  gold_grams: { head: "GOLD g", en: "Gold (g)", ar: "الذهب (غ)" },
  price_per_gram_sar: { head: "SAR/g", en: "Price (SAR/g)", ar: "السعر (ر.س/غ)" },
  fee_sar: { head: null, en: "Fee (SAR)", ar: "الرسوم (ر.س)" },
};
/** Columns of their parts (Decision D93), which older ones do not have. */
const PARTS: Readonly<Record<string, Column>> = {
  vat_sar: { head: null, en: "VAT (SAR)", ar: "الضريبة (ر.س)" },
  gold_vat_rate: {
    head: null,
    en: "Rate of VAT on gold",
    ar: "نسبة الضريبة على الذهب",
    maybeUnknown: true,
  },
  gold_vat_sar: {
    head: null,
    en: "VAT on gold (SAR)",
    ar: "ضريبة الذهب (ر.س)",
    maybeUnknown: true,
  },
  fee_vat_rate: {
    head: null,
    en: "Rate of VAT on the fee",
    ar: "نسبة الضريبة على الرسوم",
    maybeUnknown: true,
  },
  fee_vat_sar: {
    head: null,
    en: "VAT on the fee (SAR)",
    ar: "ضريبة الرسوم (ر.س)",
    maybeUnknown: true,
  },
  price_source: { head: null, en: "Source of the price", ar: "مصدر السعر", maybeUnknown: true },
  price_as_of: {
    head: null,
    en: "Price of (Riyadh)",
    ar: "وقت السعر (الرياض)",
    maybeUnknown: true,
  },
  mid_price_sar: {
    head: null,
    en: "Mid price (SAR/g)",
    ar: "السعر الوسطي (ر.س/غ)",
    maybeUnknown: true,
  },
  spread_rate: { head: null, en: "Spread", ar: "الفارق", maybeUnknown: true },
};
const TOTAL: Column = { head: "TOTAL SAR", en: "Total (SAR)", ar: "الإجمالي (ر.س)" };

/** Orders of all partners. */
export const ORDERS = paged({
  path: "/orders",
  act: "trade.read",
  summary: "Orders of all partners, or of `client_id`",
  by: "period",
  filters: { client_id: OF_PARTNER, side: SIDE },
  form: TRADE,
  columns: {
    client_id: PARTNER,
    id: { head: "ID", en: "Order", ar: "الأمر" },
    quote_id: { head: null },
    ...TERMS,
    ...PARTS,
    total_sar: TOTAL,
    client_reference: REFERENCE,
    executed_at: { ...CREATED, head: "EXECUTED" },
  },
  command: {
    noun: "order",
    verb: "list",
    brief: "List orders of all partners or one, newest first",
    examples: [
      "order list --limit 50",
      "order list --partner bank-one --side sell --from 2026-11-01 --until 2026-11-20",
    ],
  },
  page: {
    path: "/orders",
    columns: names(`executed_at, client_id, side, gold_grams, price_per_gram_sar, fee_sar,
      total_sar, id, client_reference`),
    file: names(`id as order_id, executed_at, client_id, side, gold_grams, price_per_gram_sar,
      fee_sar, vat_sar, total_sar, quote_id, client_reference, gold_vat_rate, gold_vat_sar, fee_vat_rate,
      fee_vat_sar, price_source, price_as_of, mid_price_sar, spread_rate`),
    caption: { en: "Orders, newest first", ar: "الأوامر، الأحدث أولًا" },
    nothing: { en: "No orders like this.", ar: "لا أوامر كهذه." },
  },
  find: newestOfCells("ord", async (database, filter, { filter: { side } }) => {
    const { listTrades } = await import("../oversight/list_trades.ts");
    return await listTrades(database, { ...filter, side });
  }, "pastInEachCell"),
});

/** One trade with its quote, transfers, event and deliveries. */
export const ORDER_STORY = single({
  path: "/orders/{id}",
  act: "trade.read",
  summary: "One trade whole, by its order, quote, event or Idempotency-Key",
  form: TRADE_STORY,
  async find({ environment, now, cells, path }) {
    const { findOrder } = await import("../oversight/find_order.ts");
    const { readTradeStory } = await import("../oversight/trade_story.ts");
    return await cells.findFirst(async (database) => {
      const found = await findOrder(database, path["id"]!);
      return found && await readTradeStory(database, {
        environment: await environment(),
        nowMs: now(),
        orderId: found.orderId,
      });
    });
  },
});

/** A quote's members as columns. */
const QUOTE_COLUMNS: Readonly<Record<string, Column>> = {
  id: { head: "ID", en: "Quote", ar: "العرض" },
  status: STATUS,
  ...TERMS,
  vat_rate: { head: null },
  ...PARTS,
  total_sar: TOTAL,
  created_at: CREATED,
  expires_at: { head: null, en: "Expires (Riyadh)", ar: "ينتهي (الرياض)" },
  order_id: { head: "ORDER", en: "Order", ar: "الأمر" },
};

/** Quotes of all partners, each with its order, if there is one. */
export const QUOTES = paged({
  path: "/quotes",
  act: "trade.read",
  summary: "Quotes of all partners, or of `client_id`",
  by: "period",
  filters: { client_id: OF_PARTNER, side: SIDE },
  form: QUOTE_OF,
  columns: { client_id: PARTNER, ...QUOTE_COLUMNS },
  page: {
    path: "/quotes",
    columns: names(`created_at, client_id, side, gold_grams, price_per_gram_sar, total_sar,
      status, id, order_id`),
    file: names(`id as quote_id, created_at, expires_at, client_id, side, status, gold_grams,
      price_per_gram_sar, fee_sar, vat_sar, total_sar, order_id`),
    caption: { en: "Quotes, newest first", ar: "العروض، الأحدث أولًا" },
    nothing: { en: "No quotes like this.", ar: "لا عروض كهذه." },
  },
  find: newestOfCells("qt", async (database, filter, { now, filter: { side } }) => {
    const { listQuotesOfAll } = await import("../oversight/list_quotes.ts");
    return await listQuotesOfAll(database, { ...filter, side }, now());
  }, "pastInEachCell"),
});

/** A quote of any partner. */
export const QUOTE_OF_ALL = single({
  path: "/quotes/{id}",
  act: "trade.read",
  summary: "A quote of any partner",
  form: QUOTE_OF,
  columns: { client_id: PARTNER, ...QUOTE_COLUMNS },
  command: {
    noun: "quote",
    verb: "show",
    brief: "Show a quote of any partner",
    examples: ["quote show qt_019e9c5e-4c0f-7d31-9b6e-0a1b2c3d4e5f"],
    argument: ["QUOTE", "Its id, qt_…"],
  },
  async find({ cells, readingOf, path }) {
    const { readQuoteOf } = await import("../oversight/read_owned.ts");
    return await cells.findFirst(async (database) =>
      await readQuoteOf(database, await readingOf(database), path["id"]!)
    );
  },
});

/** Reads of orders and quotes, of all partners and of each. */
export const TRADE_READS: readonly Read[] = [
  ORDERS,
  ORDER_STORY,
  QUOTES,
  QUOTE_OF_ALL,
  pagesOfPartner("quotes", "listQuotes", {
    summary: "A partner's quotes",
    filters: { status: state(QUOTE_STATUSES) },
    form: QUOTE,
    columns: QUOTE_COLUMNS,
    command: {
      noun: "quote",
      verb: "list",
      brief: "List a partner's quotes, newest first",
      examples: ["quote list --partner bank-one --status open"],
    },
  }),
  oneOfPartner("quotes", "A quote", QUOTE, (reading, partnerId, id) => {
    const quoteId = parseId("qt", id);
    return quoteId === undefined ? undefined : reading.getQuote({ partnerId, quoteId });
  }),
  pagesOfPartner("orders", "listOrders", {
    summary: "A partner's orders",
    filters: { status: { values: ORDER_STATUSES } },
    form: ORDER,
  }),
  oneOfPartner("orders", "An order", ORDER, (reading, partnerId, id) => {
    const orderId = parseId("ord", id);
    return orderId === undefined ? undefined : reading.getOrder({ partnerId, orderId });
  }),
];
