import type { Report } from "./finding.ts";
import { grouped, type Made } from "./made.ts";
import type { Snapshot } from "./snapshot.ts";

/** The transfers that each kind of thing makes, by its kind and, of withdrawals, its state. */
const WITHDRAWAL_MOVES: Readonly<Record<string, readonly string[]>> = {
  pending: ["withdrawal cash>withdrawals"],
  processing: ["withdrawal cash>withdrawals"],
  completed: ["withdrawal cash>withdrawals", "withdrawal_payout withdrawals>bank"],
  failed: ["withdrawal cash>withdrawals", "withdrawal_return withdrawals>cash"],
  cancelled: ["withdrawal cash>withdrawals", "withdrawal_return withdrawals>cash"],
};
const WITHDRAWAL_EVENTS: Readonly<Record<string, readonly string[]>> = {
  pending: ["withdrawal.created"],
  processing: ["withdrawal.created"],
  completed: ["withdrawal.completed", "withdrawal.created"],
  failed: ["withdrawal.created", "withdrawal.failed"],
  cancelled: ["withdrawal.cancelled", "withdrawal.created"],
};
const TERMS = [
  ...["side", "gold_micrograms", "price_ten_thousandths", "fee_halalas"],
  ...["vat_halalas", "total_halalas"],
] as const;

/** I4, I5, I14: an order has its quote's terms, two transfers, one event, and the balances it showed. */
export function checkOrders(
  tables: Snapshot,
  made: Made,
  balances: ReadonlyMap<string, string>,
  report: Report,
): void {
  const quotes = new Map(tables.quotes.map((row) => [`${row.partner} ${row.id}`, row]));
  for (const group of grouped(tables.orders, ({ quote_id }) => quote_id).values()) {
    const [first] = group;
    if (group.length > 1) report("I4", first!, "a quote has two orders", first!.quote_id);
  }
  for (const order of tables.orders) {
    const about = [order.id, order.quote_id];
    const quote = quotes.get(`${order.partner} ${order.quote_id}`);
    if (quote === undefined || TERMS.some((term) => quote[term] !== order[term])) {
      report("I14", order, `order ${order.id} has not the terms of its quote`, ...about);
    } else if (BigInt(receivedMs(order.id)) >= quote.expires_ms) {
      report("I14", order, `order ${order.id} was received after its quote's end`, ...about);
    }
    if (order.executed_ms < BigInt(receivedMs(order.id)) - CLOCKS_APART_MS) {
      report("I14", order, `order ${order.id} was executed before it was received`, ...about);
    }
    const transfers = made.transfers.get(`${order.partner} ${order.id}`) ?? [];
    const isBuy = order.side === "buy";
    const money = isBuy ? "cash>house_cash" : "house_cash>cash";
    const gold = isBuy ? "allocation>gold" : "gold>allocation";
    const expected = [
      `order SAR ${money} ${order.total_halalas}`,
      `order XAU ${gold} ${order.gold_micrograms}`,
    ];
    if (!same(transfers.map(wholeMove), expected)) {
      report("I4", order, `order ${order.id} did not move its money and gold once`, ...about);
    } else {
      const after = balances.get(`${order.partner} ${maxNumber(transfers)}`);
      const shown = `${order.cash_after_halalas} ${order.gold_after_micrograms}`;
      if (after !== shown) {
        report("I5", order, `order ${order.id} showed ${shown}, it was ${after}`, ...about);
      }
    }
    const events = made.events.get(`${order.partner} ${order.id}`) ?? [];
    if (!same(events.map(({ type }) => type), ["order.executed"])) {
      report("I4", order, `order ${order.id} has ${events.length} events`, ...about);
    }
  }
}

/** Clocks of instances may be a second from the database's (Decision D12). */
const CLOCKS_APART_MS = 2_000n;

/** When the instance received what has this id (Decision D7): ids begin with their time. */
const receivedMs = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const moveOf = (one: Snapshot["transfers"][number]) => `${one.debit_account}>${one.credit_account}`;
const wholeMove = (one: Snapshot["transfers"][number]) =>
  `${one.source_kind} ${one.asset} ${moveOf(one)} ${one.amount}`;
const maxNumber = (of: Snapshot["transfers"]) =>
  of.reduce((max, { number }) => number > max ? number : max, 0n);

function same(found: readonly string[], expected: readonly string[]): boolean {
  return found.toSorted().join("\n") === expected.toSorted().join("\n");
}

/** Transfers as they were made, partner by partner. */
export const inOrder = (transfers: Snapshot["transfers"]): Snapshot["transfers"] =>
  transfers.toSorted((a, b) => a.partner - b.partner || (a.number < b.number ? -1 : 1));

/** Cash and gold after each transfer. */
export function balancesAfter({ transfers }: Snapshot): Map<string, string> {
  const after = new Map<string, string>();
  let [partner, cash, gold] = [0, 0n, 0n];
  for (const one of inOrder(transfers)) {
    if (one.partner !== partner) [partner, cash, gold] = [one.partner, 0n, 0n];
    const change = (account: string) =>
      one.credit_account === account
        ? one.amount
        : one.debit_account === account
        ? -one.amount
        : 0n;
    cash += change("cash");
    gold += change("gold");
    after.set(`${partner} ${one.number}`, `${cash} ${gold}`);
  }
  return after;
}

/** I4: fundings and withdrawals moved their money as their state says, and have its events. */
export function checkBanking(
  tables: Snapshot,
  made: Made,
  balances: ReadonlyMap<string, string>,
  report: Report,
): void {
  for (const one of tables.fundings) {
    const name = `${one.partner} ${one.id}`;
    const transfers = made.transfers.get(name) ?? [];
    if (!same(transfers.map(wholeMove), [`funding SAR bank>cash ${one.amount_halalas}`])) {
      report("I4", one, `funding ${one.id} did not come in once`, one.id);
    } else if (
      balances.get(`${one.partner} ${maxNumber(transfers)}`)?.split(" ")[0] !==
        String(one.cash_after_halalas)
    ) report("I5", one, `funding ${one.id} showed a wrong balance`, one.id);
    const types = (made.events.get(name) ?? []).map(({ type }) => type);
    if (!same(types, ["funding.completed"])) {
      report("I4", one, `funding ${one.id} has ${types.length} events`, one.id);
    }
  }
  for (const one of tables.withdrawals) {
    const name = `${one.partner} ${one.id}`;
    const moves = (made.transfers.get(name) ?? [])
      .map((transfer) => `${transfer.source_kind} ${moveOf(transfer)} ${transfer.amount}`);
    const expected = (WITHDRAWAL_MOVES[one.status] ?? []).map((m) => `${m} ${one.amount_halalas}`);
    if (!same(moves, expected)) {
      report("I4", one, `withdrawal ${one.id} is ${one.status} and moved ${moves}`, one.id);
    }
    const types = (made.events.get(name) ?? []).map(({ type }) => type);
    if (!same(types, WITHDRAWAL_EVENTS[one.status] ?? [])) {
      report("I4", one, `withdrawal ${one.id} is ${one.status} with events ${types}`, one.id);
    }
  }
}
