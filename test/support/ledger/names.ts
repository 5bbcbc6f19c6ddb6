import { idAt } from "./book.ts";

/** What `now()` is in a written ledger, until `sabika.now` is set. */
export const NOW = Date.parse("2024-06-15T12:00:00Z");
/** Where a recount of new rows begins. */
export const SINCE = Date.parse("2024-06-15T09:00:00Z");
export const [SECOND, MINUTE] = [1_000, 60_000];
const DAY = 86_400_000;

/** The orders, by name: some with parts, a price that is gone, or from before prices or parts were kept. */
export const ORDERS = {
  // Its price is gone, and it has no parts.
  lost: { at: "2023-03-10T12:00:00Z", side: "buy", vat: [150_000, 150_000], keeps: "price" },
  // Its price is gone, too, but it has the mid price itself.
  gone: { at: "2023-04-16T12:00:00Z", side: "buy", vat: [50_000, 150_000], keeps: "parts" },
  unpriced: { at: "2024-01-10T00:01:05Z", side: "buy", vat: [150_000, 150_000], keeps: "nothing" },
  plain: { at: "2024-01-20T00:00:00Z", side: "buy", vat: [150_000, 150_000], keeps: "price" },
  // A little before the recount that is kept, and before nonces.
  last: { at: "2024-06-15T08:49:59Z", side: "buy", vat: [50_000, 150_000], keeps: "parts" },
  // With the first id that is new.
  first: { at: "2024-06-15T08:50:00Z", side: "sell", vat: [50_000, 150_000], keeps: "parts" },
  untaxed: { at: "2024-06-15T10:00:00Z", side: "buy", vat: [0, 0], keeps: "parts" },
  taxed: { at: "2024-06-15T11:00:00Z", side: "buy", vat: [50_000, 150_000], keeps: "parts" },
} as const;

/** When an order was executed, a while after it was received. */
export const EXECUTED: Record<string, number> = { last: SINCE - SECOND, first: SINCE };

/** The versions of a pool that orders name. */
export const VERSION_OF: Record<string, number> = { last: 1, first: 2, untaxed: 3, taxed: 3 };

/** Prices that are there: their numbers, and mid prices. The first one is of another cell, the next one the first here. */
export const PRICES = {
  other: [Date.parse("2024-01-01T00:00:00Z") * 1_000 + 1, 3_000_000],
  earliest: [Date.parse("2024-01-10T00:00:00Z") * 1_000, 3_900_000],
  newest: [Date.parse("2024-06-15T08:00:00Z") * 1_000, 4_100_000],
} as const;

/** The number of the price that an order has. */
export const priceOf = (name: keyof typeof ORDERS): number =>
  name === "plain"
    ? PRICES.earliest[0]
    : name === "lost" || name === "gone"
    ? Date.parse(ORDERS[name].at) * 1_000
    : PRICES.newest[0];

/** Withdrawals, by name. The first one was asked for before the recount that is kept. */
export const WITHDRAWALS = {
  pending: NOW - DAY,
  processing: SINCE,
  completed: SINCE + 10 * MINUTE,
  failed: SINCE + 20 * MINUTE,
  cancelled: SINCE + 30 * MINUTE,
} as const;

/** Fundings, by name; those of the operator have a reference and no Idempotency-Key. */
export const FUNDINGS = {
  opening: { at: Date.parse("2023-01-01T00:00:00Z"), reference: "A", halalas: 10_000_000n },
  // Its key may be gone.
  keyless: { at: NOW - 30 * DAY, reference: null, halalas: 1_000n },
  keyed: { at: NOW - 30 * DAY + 1, reference: null, halalas: 1_100n },
  new: { at: SINCE, reference: null, halalas: 1_200n },
  transfer: { at: SINCE + MINUTE, reference: "B", halalas: 1_300n },
} as const;

/** Quotes that nobody took, by name. */
export const QUOTES = {
  // Its key may be gone.
  keyless: NOW - 30 * DAY,
  keyed: NOW - 30 * DAY + 1,
  // Its key begins a generation that is not over ten minutes older than the recount that is kept.
  late: SINCE - 10 * MINUTE,
  // The first that is new.
  early: SINCE,
} as const;

const idsOf = <N extends string>(names: readonly N[], id: (name: N) => string) =>
  Object.fromEntries(names.map((name) => [name, id(name)])) as Record<N, string>;
const keysOf = <N extends string>(record: Record<N, unknown>) => Object.keys(record) as N[];

/** The ids of all that is in it, by kind and name; a quote that was taken is named as its order. */
export const IDS = {
  orders: idsOf(keysOf(ORDERS), (name) => idAt(Date.parse(ORDERS[name].at))),
  fundings: idsOf(keysOf(FUNDINGS), (name) => idAt(FUNDINGS[name].at, 1)),
  withdrawals: idsOf(keysOf(WITHDRAWALS), (name) => idAt(WITHDRAWALS[name], 2)),
  quotes: {
    ...idsOf(keysOf(ORDERS), (name) => idAt(Date.parse(ORDERS[name].at) - 5 * SECOND)),
    ...idsOf(keysOf(QUOTES), (name) => idAt(QUOTES[name], 3)),
    // The first id that is new, as that of an order.
    early: idAt(SINCE - 10 * MINUTE),
  },
};
