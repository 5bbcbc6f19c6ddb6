import { type Books, grouped } from "./books.ts";
import type { Snapshot } from "./snapshot.ts";

type Transfer = Snapshot["transfers"][number];

/** The transfers and events of a withdrawal in each status. */
const WITHDRAWALS: Readonly<Record<string, { moves: readonly string[]; events: string[] }>> = {
  pending: { moves: [], events: ["created"] },
  processing: { moves: [], events: ["created"] },
  completed: {
    moves: ["withdrawal_payout withdrawals>bank"],
    events: ["completed", "created"],
  },
  failed: { moves: ["withdrawal_return withdrawals>cash"], events: ["created", "failed"] },
  cancelled: {
    moves: ["withdrawal_return withdrawals>cash"],
    events: ["cancelled", "created"],
  },
};
const TERMS = [
  "side",
  "gold_micrograms",
  "price_ten_thousandths",
  "fee_halalas",
  "vat_halalas",
  "total_halalas",
] as const;
/** The largest difference between two instances: each may be a second off the database (Decision D12). */
const CLOCKS_APART_MS = 2_000n;

/** Returns the milliseconds at the beginning of an id: the request's arrival (Decision D7). */
const receivedMs = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
const moveOf = ({ debit_account, credit_account, amount }: Transfer) =>
  `${debit_account}>${credit_account} ${amount}`;
const wholeMove = (transfer: Transfer) =>
  `${transfer.source_kind} ${transfer.asset} ${moveOf(transfer)}`;

const isSame = (found: readonly string[], expected: readonly string[]): boolean =>
  found.toSorted().join("\n") === expected.toSorted().join("\n");

/** Sorts transfers by partner and number. */
export const inOrder = (transfers: Snapshot["transfers"]): Snapshot["transfers"] =>
  transfers.toSorted((a, b) => a.partner - b.partner || (a.number < b.number ? -1 : 1));

/** Computes the balances of cash and gold after each transfer. */
function balancesAfter({ transfers }: Snapshot): Map<string, string> {
  const after = new Map<string, string>();
  let [partner, cash, gold] = [0, 0n, 0n];
  for (const transfer of inOrder(transfers)) {
    const { credit_account, debit_account, amount } = transfer;
    if (transfer.partner !== partner) [partner, cash, gold] = [transfer.partner, 0n, 0n];
    if (credit_account === "cash") cash += amount;
    if (debit_account === "cash") cash -= amount;
    if (credit_account === "gold") gold += amount;
    if (debit_account === "gold") gold -= amount;
    after.set(`${partner} ${transfer.number}`, `${cash} ${gold}`);
  }
  return after;
}

/** Returns the balances after the last of some transfers. */
function balancesShown(after: ReadonlyMap<string, string>, transfers: Snapshot["transfers"]) {
  return after.get(`${transfers[0]!.partner} ${inOrder(transfers).at(-1)!.number}`);
}

/**
 * Checks that orders, fundings and withdrawals have exactly the transfers and events of their terms and
 * statuses, and that their answers showed the balances of that moment (I4, I5, I14).
 */
export function checkResources(books: Books): void {
  const after = balancesAfter(books.tables);
  checkOrders(books, after);
  checkFundings(books, after);
  checkWithdrawals(books);
}

function checkOrders(books: Books, balances: ReadonlyMap<string, string>): void {
  const { orders, quotes } = books.tables;
  const quoteOf = new Map(quotes.map((row) => [`${row.partner} ${row.id}`, row]));
  for (const [first, ...others] of grouped(orders, ({ quote_id }) => quote_id).values()) {
    if (others.length > 0) books.report("I4", first!, "a quote has two orders", first!.quote_id);
  }
  for (const order of orders) {
    const report = (invariant: string, what: string) =>
      books.report(invariant, order, `order ${order.id} ${what}`, order.id, order.quote_id);
    const name = `${order.partner} ${order.id}`;
    const quote = quoteOf.get(`${order.partner} ${order.quote_id}`);
    if (quote === undefined || TERMS.some((term) => quote[term] !== order[term])) {
      report("I14", "does not have the terms of its quote");
    } else if (BigInt(receivedMs(order.id)) >= quote.expires_ms) {
      report("I14", "was received after its quote's end");
    }
    if (order.executed_ms < BigInt(receivedMs(order.id)) - CLOCKS_APART_MS) {
      report("I14", "was executed before it was received");
    }
    const transfers = books.transfers.get(name) ?? [];
    const isBuy = order.side === "buy";
    const money = isBuy ? "cash>house_cash" : "house_cash>cash";
    const gold = isBuy ? "allocation>gold" : "gold>allocation";
    const expected = [
      `order SAR ${money} ${order.total_halalas}`,
      `order XAU ${gold} ${order.gold_micrograms}`,
      ...order.vat_halalas > 0n ? [`order SAR house_cash>vat ${order.vat_halalas}`] : [],
    ];
    if (!isSame(transfers.map(wholeMove), expected)) {
      report("I4", "did not move its money and gold once");
    } else {
      const after = balancesShown(balances, transfers);
      const shown = `${order.cash_after_halalas} ${order.gold_after_micrograms}`;
      if (after !== shown) report("I5", `showed ${shown}, it was ${after}`);
    }
    const events = (books.events.get(name) ?? []).map(({ type }) => type);
    if (!isSame(events, ["order.executed"])) report("I4", `has ${events.length} events`);
  }
}

function checkFundings(books: Books, balances: ReadonlyMap<string, string>): void {
  for (const funding of books.tables.fundings) {
    const report = (invariant: string, what: string) =>
      books.report(invariant, funding, `funding ${funding.id} ${what}`, funding.id);
    const name = `${funding.partner} ${funding.id}`;
    const transfers = books.transfers.get(name) ?? [];
    if (!isSame(transfers.map(wholeMove), [`funding SAR bank>cash ${funding.amount_halalas}`])) {
      report("I4", "did not come in once");
    } else {
      const [cash] = balancesShown(balances, transfers)!.split(" ");
      if (cash !== String(funding.cash_after_halalas)) report("I5", "showed a wrong balance");
    }
    const events = (books.events.get(name) ?? []).map(({ type }) => type);
    if (!isSame(events, ["funding.completed"])) report("I4", `has ${events.length} events`);
  }
}

function checkWithdrawals(books: Books): void {
  for (const withdrawal of books.tables.withdrawals) {
    const { partner, id, status, amount_halalas } = withdrawal;
    const { moves, events } = WITHDRAWALS[status] ?? { moves: [], events: [] };
    const moved = (books.transfers.get(`${partner} ${id}`) ?? [])
      .map((transfer) => `${transfer.source_kind} ${moveOf(transfer)}`);
    const expected = ["withdrawal cash>withdrawals", ...moves]
      .map((move) => `${move} ${amount_halalas}`);
    if (!isSame(moved, expected)) {
      books.report("I4", withdrawal, `withdrawal ${id} is ${status} and moved ${moved}`, id);
    }
    const types = (books.events.get(`${partner} ${id}`) ?? []).map(({ type }) => type);
    if (!isSame(types, events.map((event) => `withdrawal.${event}`))) {
      books.report("I4", withdrawal, `withdrawal ${id} is ${status} with events ${types}`, id);
    }
  }
}
