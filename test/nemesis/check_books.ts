import type { Finding } from "./finding.ts";
import { ACCOUNTS, type Snapshot } from "./snapshot.ts";

/** The account that a column of `accounts` keeps: its name in transfers. */
const accountOf = (column: string) => column.replace(/_(halalas|micrograms)$/, "");
const MONEY = new Set(ACCOUNTS.filter((column) => column.endsWith("halalas")).map(accountOf));
/** Whatever moves money or gold. */
const KINDS = new Set([
  ...["order", "funding", "allocation", "release"],
  ...["withdrawal", "withdrawal_payout", "withdrawal_return"],
]);
/** Those that may not be overdrawn. */
const OWNED = ["cash", "withdrawals", "gold", "allocation"];

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

type Report = (
  invariant: string,
  row: { partner: number },
  what: string,
  ...about: readonly string[]
) => void;

/**
 * Holds the tables against one another (I1 to I5, I7, I10, I11, I14): pure, and written apart from the
 * product's own `reconcile`, on purpose.
 */
export function checkBooks(tables: Snapshot): Finding[] {
  const found: Finding[] = [];
  const report: Report = (invariant, { partner }, what, ...about) =>
    void found.push({ invariant, partner, what, about });
  const made = new Made(tables);
  checkTwice(tables, report);
  checkAccounts(tables, report);
  checkNumbers(tables, report);
  checkOrders(tables, made, report);
  checkBanking(tables, made, report);
  checkKeys(tables, made, report);
  checkOwners(made, report);
  return found;
}

/** What lies under each resource: transfers, events and keys. */
class Made {
  readonly transfers: Map<string, Snapshot["transfers"]>;
  readonly events: Map<string, Snapshot["events"]>;
  readonly keys: Map<string, Snapshot["keys"]>;
  /** Kinds of resources by partner and id. */
  readonly kinds = new Map<string, string>();

  constructor(tables: Snapshot) {
    this.transfers = grouped(tables.transfers, ({ source_id }) => source_id);
    this.events = grouped(tables.events, ({ resource_id }) => resource_id);
    this.keys = grouped(tables.keys, ({ resource_id }) => resource_id);
    for (const { partner, id } of tables.quotes) this.kinds.set(`${partner} ${id}`, "quote");
    for (const { partner, id } of tables.orders) this.kinds.set(`${partner} ${id}`, "order");
    for (const { partner, id } of tables.fundings) this.kinds.set(`${partner} ${id}`, "funding");
    for (const { partner, id } of tables.withdrawals) {
      this.kinds.set(`${partner} ${id}`, "withdrawal");
    }
  }
}

function grouped<R extends { partner: number }>(rows: readonly R[], by: (row: R) => string) {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const name = `${row.partner} ${by(row)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

/** I4: no resource is there twice, and no accounts. */
function checkTwice(tables: Snapshot, report: Report): void {
  const { quotes, orders, withdrawals, fundings } = tables;
  const accounts = tables.accounts.map(({ partner }) => ({ partner, id: "accounts" }));
  const seen = new Set<string>();
  for (const row of [...quotes, ...orders, ...withdrawals, ...fundings, ...accounts]) {
    const name = `${row.partner} ${row.id}`;
    if (seen.has(name)) report("I4", row, `${row.id} is there twice`, row.id);
    seen.add(name);
  }
}

/** I1, I2, I3: transfers move positive amounts within an asset; balances are their sums. */
function checkAccounts({ accounts, transfers }: Snapshot, report: Report): void {
  const moved = new Map<string, bigint>();
  const add = (partner: number, account: string, amount: bigint) => {
    const name = `${partner} ${account}`;
    moved.set(name, (moved.get(name) ?? 0n) + amount);
  };
  for (const one of transfers) {
    const { partner, asset, debit_account, credit_account, amount } = one;
    const isMoney = asset === "SAR";
    const sides = [debit_account, credit_account];
    const isWhole = amount > 0n && debit_account !== credit_account &&
      (isMoney || asset === "XAU") && KINDS.has(one.source_kind) &&
      sides.every((side) => MONEY.has(side) === isMoney);
    if (!isWhole) report("I1", one, `transfer ${one.number} is none`, one.source_id);
    add(partner, credit_account, amount);
    add(partner, debit_account, -amount);
  }
  for (const row of accounts) {
    for (const asset of ["halalas", "micrograms"]) {
      const sum = ACCOUNTS.filter((column) => column.endsWith(asset))
        .reduce((sum, column) => sum + row[column], 0n);
      if (sum !== 0n) report("I1", row, `its ${asset} sum to ${sum}`);
    }
    for (const column of ACCOUNTS) {
      const account = accountOf(column);
      const expected = moved.get(`${row.partner} ${account}`) ?? 0n;
      if (row[column] < 0n && OWNED.includes(account)) {
        report("I2", row, `${account} is ${row[column]}`);
      }
      if (row[column] !== expected) {
        report("I3", row, `${account} is ${row[column]}, its transfers come to ${expected}`);
      }
    }
  }
}

/** I3, I11: transfers and events are numbered from 1 without gaps; ids are there once. */
function checkNumbers({ accounts, transfers, events }: Snapshot, report: Report): void {
  const lastTransfer = new Map(accounts.map((row) => [row.partner, row.last_transfer]));
  const lastEvent = new Map(accounts.map((row) => [row.partner, row.last_event]));
  const check = (
    invariant: string,
    what: string,
    last: Map<number, bigint>,
    numbers: { partner: number; number: bigint }[],
  ) => {
    const seen = new Map<number, Set<bigint>>();
    for (const row of numbers) {
      const ours = seen.get(row.partner) ?? new Set();
      seen.set(row.partner, ours);
      const isNew = !ours.has(row.number) && row.number >= 1n;
      if (!isNew || row.number > (last.get(row.partner) ?? 0n)) {
        report(invariant, row, `${what} ${row.number} is there twice or was never given`);
      }
      ours.add(row.number);
    }
    for (const [partner, number] of last) {
      const n = seen.get(partner)?.size ?? 0;
      if (BigInt(n) !== number) report(invariant, { partner }, `${n} ${what}s of ${number}`);
    }
  };
  check("I3", "transfer", lastTransfer, transfers);
  check(
    "I11",
    "event",
    lastEvent,
    events.map(({ partner, sequence }) => ({ partner, number: sequence })),
  );
  for (const group of grouped(events, ({ event_id }) => event_id).values()) {
    if (group.length > 1) report("I11", group[0]!, `event id ${group[0]!.event_id} is given twice`);
  }
}

/** I4, I5, I14: an order has its quote's terms, two transfers, one event, and the balances it showed. */
function checkOrders(tables: Snapshot, made: Made, report: Report): void {
  const quotes = new Map(tables.quotes.map((row) => [`${row.partner} ${row.id}`, row]));
  const balances = balancesAfter(tables);
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

/** Cash and gold after each transfer. */
function balancesAfter({ transfers }: Snapshot): Map<string, string> {
  const after = new Map<string, string>();
  let [partner, cash, gold] = [0, 0n, 0n];
  const ordered = transfers.toSorted((a, b) =>
    a.partner - b.partner || (a.number < b.number ? -1 : 1)
  );
  for (const one of ordered) {
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
function checkBanking(tables: Snapshot, made: Made, report: Report): void {
  const balances = balancesAfter(tables);
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

/** I5, I7: what was made under a key is there, and the other way round; a nonce is there once. */
function checkKeys(tables: Snapshot, made: Made, report: Report): void {
  for (const key of tables.keys) {
    if (made.kinds.get(`${key.partner} ${key.resource_id}`) !== key.kind) {
      report("I5", key, `a key made ${key.kind} ${key.resource_id}: not there`, key.resource_id);
    }
  }
  for (const group of grouped(tables.keys, ({ key_hash }) => key_hash).values()) {
    if (group.length > 1) report("I5", group[0]!, "a key made two things", group[0]!.resource_id);
  }
  const cancelled = new Set(
    tables.withdrawals.filter(({ status }) => status === "cancelled")
      .map(({ partner, id }) => `${partner} ${id}`),
  );
  const credited = new Set(
    tables.fundings.filter(({ reference }) => reference !== null)
      .map(({ partner, id }) => `${partner} ${id}`),
  );
  for (const [name, kind] of made.kinds) {
    // Who takes a withdrawal back does so under a key of its own; what a bank sent has none.
    const expected = credited.has(name) ? 0 : cancelled.has(name) ? 2 : 1;
    const n = made.keys.get(name)?.length ?? 0;
    const [partner, id] = name.split(" ") as [string, string];
    if (n !== expected) {
      report("I5", { partner: Number(partner) }, `${kind} ${id} was made under ${n} keys`, id);
    }
  }
  for (const group of grouped(tables.nonces, ({ nonce_hash }) => nonce_hash).values()) {
    if (group.length > 1) report("I7", group[0]!, "a nonce is there twice", group[0]!.nonce_hash);
  }
}

/** I10: no transfer and no event without what it is of. */
function checkOwners(made: Made, report: Report): void {
  for (const [name, [first]] of made.transfers) {
    const [kind] = first!.source_kind.split("_");
    if (!["order", "funding", "withdrawal"].includes(kind!)) continue;
    if (made.kinds.get(name) !== kind) {
      report("I10", first!, `a transfer of ${first!.source_kind} ${first!.source_id} alone`);
    }
  }
  for (const [name, [first]] of made.events) {
    const [kind] = first!.type.split(".");
    if (!["order", "funding", "withdrawal"].includes(kind!)) continue;
    if (made.kinds.get(name) !== kind) {
      report("I10", first!, `an event ${first!.type} of ${first!.resource_id} alone`);
    }
  }
}
