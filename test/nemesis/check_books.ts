import { balancesAfter, checkBanking, checkOrders, inOrder } from "./check_resources.ts";
import type { Finding, Report } from "./finding.ts";
import { grouped, Made } from "./made.ts";
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
  checkOverdrafts(tables, report);
  checkNumbers(tables, report);
  const balances = balancesAfter(tables);
  checkOrders(tables, made, balances, report);
  checkBanking(tables, made, balances, report);
  checkKeys(tables, made, report);
  checkOwners(made, report);
  return found;
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

/** I2: no transfer took more than there was, whatever came in after it. */
function checkOverdrafts({ transfers }: Snapshot, report: Report): void {
  const balances = new Map<string, bigint>();
  for (const one of inOrder(transfers)) {
    const name = (account: string) => `${one.partner} ${account}`;
    const add = (account: string, amount: bigint) => {
      const balance = (balances.get(name(account)) ?? 0n) + amount;
      balances.set(name(account), balance);
      return balance;
    };
    add(one.credit_account, one.amount);
    const left = add(one.debit_account, -one.amount);
    if (left < 0n && OWNED.includes(one.debit_account)) {
      report(
        "I2",
        one,
        `${one.debit_account} was ${left} after transfer ${one.number}`,
        one.source_id,
      );
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
