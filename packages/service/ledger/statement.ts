import {
  type Balances,
  formatTime,
  type LedgerEntry,
  parseId,
  type Statement,
} from "@sabika/protocol";
import { and, desc, eq, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { type AnySql, type Database, drizzle } from "@sabika/database";
import { riyadhDayStart } from "@sabika/terms";
import { getOrders } from "../orders/read_orders.ts";
import { SPENDABLE } from "./balances.ts";
import { firstTransferAt, readEntries } from "./ledger_entries.ts";
import { accounts, dayClosings, transfers } from "./tables.ts";

const DAY_MS = 86_400_000;
/** When a day that is over gets no more entries: as in `close_days.sql`, which says why. */
const SETTLED_AFTER_MS = 600_000;

/** A day's statement whose entries are read on demand, since a busy day has millions. */
export interface OpenStatement extends Omit<Statement, "entries"> {
  /** How many entries there are. */
  readonly count: bigint;
  /** The entries, oldest first, in pages of this many; 2,000 by default. */
  pages(entries?: number): AsyncGenerator<LedgerEntry[], void, void>;
}

/** Where a statement is read: on any database that has what is read. */
export type ReadOn = <T>(read: (database: Database) => Promise<T>) => Promise<T>;

/** Entries in one page. */
const PAGE = 2_000;
const SNAPSHOT = "isolation level repeatable read read only";

/**
 * Opens the statement of one day in Riyadh, with the balances before and after it; provisional until
 * ten minutes after the day's end, while entries may follow.
 *
 * @returns undefined when `day` is not a date, or has not begun
 */
export async function openStatement(
  readOn: ReadOn,
  query: { partnerId: number; day: string; nowMs: number },
): Promise<OpenStatement | undefined> {
  const startMs = riyadhDayStart(query.day);
  if (startMs === undefined || query.nowMs < startMs) return undefined;
  const { partnerId } = query;
  // One snapshot, since balances and numbers belong together. The numbered transfers never change.
  return await readOn(({ sql }) =>
    sql.begin(SNAPSHOT, async (tx) => {
      const [account] = await drizzle(tx).select({
        from: firstTransferAt(partnerId, formatTime(startMs)),
        to: firstTransferAt(partnerId, formatTime(startMs + DAY_MS)),
        last: accounts.lastTransfer,
        ...SPENDABLE,
      }).from(accounts).where(eq(accounts.partnerId, partnerId));
      if (!account) throw new Error(`partner ${partnerId} has no accounts`);
      const { from, to, last, ...now } = account;
      const today = { number: last + 1n, balances: now };
      return {
        date: query.day,
        provisional: query.nowMs < startMs + DAY_MS + SETTLED_AFTER_MS,
        opening: await balancesBefore(tx, partnerId, from, today),
        closing: await balancesBefore(tx, partnerId, to, today),
        count: to - from,
        async *pages(entries = PAGE) {
          const size = BigInt(entries);
          for (let next = from; next < to; next += size) {
            const end = next + size < to ? next + size : to;
            yield await readOn(async (database) => {
              const read = await readEntries(database, { partnerId, from: next, to: end });
              return await withOrders(database, partnerId, read);
            });
          }
        },
      };
    })
  );
}

/** Adds to the entries of orders' money their orders. */
async function withOrders(
  database: Database,
  partnerId: number,
  entries: readonly LedgerEntry[],
): Promise<LedgerEntry[]> {
  const isMoney = ({ sourceKind, debitAccount, creditAccount }: LedgerEntry) =>
    sourceKind === "order" && (debitAccount === "cash" || creditAccount === "cash");
  const orderIds = entries.filter(isMoney).map(({ sourceId }) => parseId("ord", sourceId)!);
  const orders = await getOrders(database, { partnerId, orderIds });
  return entries.map((entry) => {
    const order = isMoney(entry) ? orders.get(entry.sourceId) : undefined;
    return order === undefined ? entry : { ...entry, order };
  });
}

/** Balances as they were before the transfer of a number. */
interface KnownBalances {
  number: bigint;
  balances: Balances;
}

/**
 * The balances before a transfer, from the nearest known balances: those at a day's closing, those of
 * now, or zero at the beginning. Transfers in between are summed; for closed days and today there are none.
 */
async function balancesBefore(
  tx: AnySql,
  partnerId: number,
  number: bigint,
  today: KnownBalances,
): Promise<Balances> {
  const before = await closingBefore(tx, partnerId, number);
  if (number - before.number <= today.number - number) {
    return add(before.balances, await movedBy(tx, partnerId, before.number, number), 1n);
  }
  return add(today.balances, await movedBy(tx, partnerId, number, today.number), -1n);
}

async function closingBefore(tx: AnySql, partner: number, number: bigint): Promise<KnownBalances> {
  const { partnerId, nextNumber, cashHalalas, goldMicrograms } = dayClosings;
  const [closing] = await drizzle(tx)
    .select({ number: nextNumber, sarHalalas: cashHalalas, goldMicrograms }).from(dayClosings)
    .where(and(eq(partnerId, partner), lte(nextNumber, number)))
    .orderBy(desc(nextNumber)).limit(1);
  if (!closing) return { number: 1n, balances: { sarHalalas: 0n, goldMicrograms: 0n } };
  const { number: known, ...balances } = closing;
  return { number: known, balances };
}

/** The sum of the transfers in a range of numbers. */
async function movedBy(
  connection: AnySql,
  partnerId: number,
  from: bigint,
  to: bigint,
): Promise<Balances> {
  if (from === to) return { sarHalalas: 0n, goldMicrograms: 0n };
  const { number } = transfers;
  const [moved] = await drizzle(connection)
    .select({ sarHalalas: sumOf("cash"), goldMicrograms: sumOf("gold") }).from(transfers)
    .where(and(eq(transfers.partnerId, partnerId), gte(number, from), lt(number, to)));
  return moved!;
}

function sumOf(account: "cash" | "gold"): SQL<bigint> {
  const { amount, creditAccount, debitAccount } = transfers;
  return sql`coalesce(sum(case when ${creditAccount} = ${account} then ${amount}
    when ${debitAccount} = ${account} then -${amount} end), 0)::bigint`;
}

function add(a: Balances, b: Balances, sign: 1n | -1n): Balances {
  return {
    sarHalalas: a.sarHalalas + sign * b.sarHalalas,
    goldMicrograms: a.goldMicrograms + sign * b.goldMicrograms,
  };
}
