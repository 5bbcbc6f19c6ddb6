import { Books, type Finding, grouped } from "./books.ts";
import { checkResources, inOrder } from "./check_resources.ts";
import { ACCOUNTS, type Snapshot } from "./snapshot.ts";
import { each } from "../each.ts";

/** Converts a column of `accounts` to the name that transfers have for it. */
const accountOf = (column: string) => column.replace(/_(halalas|micrograms)$/, "");
const MONEY = new Set(ACCOUNTS.filter((column) => column.endsWith("halalas")).map(accountOf));
/** The kinds of sources of transfers. */
const KINDS = new Set(
  each("order funding allocation release withdrawal withdrawal_payout withdrawal_return"),
);
/** Accounts that may not be overdrawn. */
const OWNED = ["cash", "withdrawals", "gold", "allocation"];
/** Sources whose transfers and events need a row. */
const RESOURCES = ["order", "funding", "withdrawal"];

/**
 * Compares the tables with one another (I1 to I5, I7, I10, I11, I14). It is pure, and shares no code with
 * the product's `reconcile`.
 */
export function checkBooks(tables: Snapshot): Finding[] {
  const books = new Books(tables);
  checkTwice(books);
  checkAccounts(books);
  checkOverdrafts(books);
  checkNumbers(books);
  checkResources(books);
  checkKeys(books);
  checkOwners(books);
  return books.found;
}

/** Checks that each resource and each partner's accounts exist once (I4). */
function checkTwice(books: Books): void {
  const { quotes, orders, withdrawals, fundings } = books.tables;
  const accounts = books.tables.accounts.map(({ partner }) => ({ partner, id: "accounts" }));
  const resources = [...quotes, ...orders, ...withdrawals, ...fundings, ...accounts];
  for (const [first, ...others] of grouped(resources, ({ id }) => id).values()) {
    if (others.length > 0) books.report("I4", first!, `${first!.id} exists twice`, first!.id);
  }
}

/** Checks that transfers move positive amounts within an asset, and balances are their sums (I1, I2, I3). */
function checkAccounts(books: Books): void {
  const moved = new Map<string, bigint>();
  const add = (partner: number, account: string, amount: bigint) => {
    const name = `${partner} ${account}`;
    moved.set(name, (moved.get(name) ?? 0n) + amount);
  };
  for (const transfer of books.tables.transfers) {
    const { partner, asset, debit_account, credit_account, amount, source_kind } = transfer;
    const isMoney = asset === "SAR";
    const isValid = amount > 0n && debit_account !== credit_account &&
      (isMoney || asset === "XAU") && KINDS.has(source_kind) &&
      [debit_account, credit_account].every((side) => MONEY.has(side) === isMoney);
    if (!isValid) {
      books.report("I1", transfer, `transfer ${transfer.number} is invalid`, transfer.source_id);
    }
    add(partner, credit_account, amount);
    add(partner, debit_account, -amount);
  }
  for (const row of books.tables.accounts) {
    for (const asset of ["halalas", "micrograms"]) {
      const sum = ACCOUNTS.filter((column) => column.endsWith(asset))
        .reduce((total, column) => total + row[column], 0n);
      if (sum !== 0n) books.report("I1", row, `its ${asset} sum to ${sum}`);
    }
    for (const column of ACCOUNTS) {
      const account = accountOf(column);
      const expected = moved.get(`${row.partner} ${account}`) ?? 0n;
      if (row[column] < 0n && OWNED.includes(account)) {
        books.report("I2", row, `${account} is ${row[column]}`);
      }
      if (row[column] !== expected) {
        books.report("I3", row, `${account} is ${row[column]}, its transfers come to ${expected}`);
      }
    }
  }
}

/** Checks that no transfer took more than the balance at that moment (I2). */
function checkOverdrafts(books: Books): void {
  const balances = new Map<string, bigint>();
  const add = (partner: number, account: string, amount: bigint) => {
    const name = `${partner} ${account}`;
    const balance = (balances.get(name) ?? 0n) + amount;
    balances.set(name, balance);
    return balance;
  };
  for (const transfer of inOrder(books.tables.transfers)) {
    const { partner, debit_account, credit_account, amount, number, source_id } = transfer;
    add(partner, credit_account, amount);
    const left = add(partner, debit_account, -amount);
    if (left < 0n && OWNED.includes(debit_account)) {
      books.report("I2", transfer, `${debit_account} was ${left} after ${number}`, source_id);
    }
  }
}

/** Checks that transfers and events are numbered from 1 without gaps, and event ids are unique (I3, I11). */
function checkNumbers(books: Books): void {
  const { accounts, transfers, events } = books.tables;
  const check = (
    invariant: string,
    what: string,
    last: "last_transfer" | "last_event",
    rows: readonly { readonly partner: number; readonly number: bigint }[],
  ) => {
    const lastOf = new Map(accounts.map((row) => [row.partner, row[last]]));
    const numbersOf = grouped(rows, () => what);
    for (const partner of new Set([...accounts, ...rows].map((row) => row.partner))) {
      const end = lastOf.get(partner) ?? 0n;
      const numbers = (numbersOf.get(`${partner} ${what}`) ?? []).map(({ number }) => number);
      const isWhole = BigInt(numbers.length) === end && new Set(numbers).size === numbers.length &&
        numbers.every((number) => number >= 1n && number <= end);
      if (!isWhole) {
        books.report(
          invariant,
          { partner },
          `${numbers.length} ${what}s, not 1 to ${end} once each`,
        );
      }
    }
  };
  const numbered = events.map(({ partner, sequence }) => ({ partner, number: sequence }));
  check("I3", "transfer", "last_transfer", transfers);
  check("I11", "event", "last_event", numbered);
  for (const [first, ...others] of grouped(events, ({ event_id }) => event_id).values()) {
    const { event_id } = first!;
    if (others.length > 0) books.report("I11", first!, `event id ${event_id} is used twice`);
  }
}

/** Checks that each key has its resource, each resource its key, and nonces are unique (I5, I7). */
function checkKeys(books: Books): void {
  const { keys, nonces, withdrawals, fundings } = books.tables;
  for (const key of keys) {
    const { partner, kind, resource_id } = key;
    if (books.kinds.get(`${partner} ${resource_id}`) !== kind) {
      books.report("I5", key, `a key made ${kind} ${resource_id}, which is missing`, resource_id);
    }
  }
  for (const [first, ...others] of grouped(keys, ({ key_hash }) => key_hash).values()) {
    if (others.length > 0) books.report("I5", first!, "a key made two things", first!.resource_id);
  }
  const expected = new Map<string, number>();
  // A cancellation has a key of its own; money that a bank sent has none.
  for (const { partner, id, status } of withdrawals) {
    if (status === "cancelled") expected.set(`${partner} ${id}`, 2);
  }
  for (const { partner, id, reference } of fundings) {
    if (reference !== null) expected.set(`${partner} ${id}`, 0);
  }
  for (const [name, kind] of books.kinds) {
    const n = books.keys.get(name)?.length ?? 0;
    const [partner, id] = name.split(" ") as [string, string];
    if (n !== (expected.get(name) ?? 1)) {
      books.report(
        "I5",
        { partner: Number(partner) },
        `${kind} ${id} was made under ${n} keys`,
        id,
      );
    }
  }
  for (const [first, ...others] of grouped(nonces, ({ nonce_hash }) => nonce_hash).values()) {
    if (others.length > 0) books.report("I7", first!, "a nonce is stored twice", first!.nonce_hash);
  }
}

/** Checks that no transfer and no event lacks its source (I10). */
function checkOwners(books: Books): void {
  for (const [name, [first]] of books.transfers) {
    const { source_kind, source_id } = first!;
    const [kind] = source_kind.split("_") as [string];
    if (RESOURCES.includes(kind) && books.kinds.get(name) !== kind) {
      books.report("I10", first!, `a transfer without its ${source_kind} ${source_id}`);
    }
  }
  for (const [name, [first]] of books.events) {
    const { type, resource_id } = first!;
    const [kind] = type.split(".") as [string];
    if (RESOURCES.includes(kind) && books.kinds.get(name) !== kind) {
      books.report("I10", first!, `an event ${type} without its resource ${resource_id}`);
    }
  }
}
