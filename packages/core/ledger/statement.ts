import type { Balances, LedgerEntry, Statement } from "@sabika/protocol";
import type { Database } from "../store/database.ts";
import { moment } from "../store/list_query.ts";
import type { AnySql } from "../store/sql.ts";
import { readEntries } from "./ledger_entries.ts";

/** Riyadh keeps UTC+3 all year (Decision D7). */
const RIYADH_OFFSET_MS = 3 * 3_600_000;
const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** When a day of Riyadh begins, in epoch milliseconds, or undefined when it is no day. */
export function riyadhDayStart(day: string): number | undefined {
  if (!DAY.test(day)) return undefined;
  const utcMs = Date.parse(`${day}T00:00:00.000Z`);
  if (Number.isNaN(utcMs) || new Date(utcMs).toISOString().slice(0, 10) !== day) return undefined;
  return utcMs - RIYADH_OFFSET_MS;
}

/** A day's statement whose entries are read as they are wanted: a busy day has millions. */
export interface OpenStatement extends Omit<Statement, "entries"> {
  /** How many entries there are. */
  readonly count: bigint;
  /** The entries, oldest first, some thousands at a time. */
  pages(): AsyncGenerator<LedgerEntry[], void, void>;
}

/** Entries in one page. */
const PAGE = 2_000n;

/**
 * What happened in one day of Riyadh, with the balances before and after it. A day that is not
 * over is provisional.
 *
 * @returns undefined when `day` is no date, or has not begun
 */
export async function openStatement(
  { sql }: Database,
  of: { partnerId: number; day: string; nowMs: number },
): Promise<OpenStatement | undefined> {
  const startMs = riyadhDayStart(of.day);
  if (startMs === undefined || of.nowMs < startMs) return undefined;
  const { partnerId } = of;
  // One snapshot: the balances and the numbers belong together. What the numbers name stays.
  return await sql.begin("isolation level repeatable read read only", async (tx) => {
    const [bounds] = await tx<{ from: bigint; to: bigint; last: bigint }[]>`
      select first_transfer_at(${partnerId}::integer, ${moment(startMs)}::timestamptz) as "from",
        first_transfer_at(${partnerId}::integer, ${moment(startMs + DAY_MS)}::timestamptz) as "to",
        last_transfer as last
      from accounts where partner_id = ${partnerId}::integer`;
    if (!bounds) throw new Error(`partner ${partnerId} has no accounts`);
    const { from, to, last } = bounds;
    const opening = await balancesBefore(tx, partnerId, from, last);
    const moved = await movedBy(tx, partnerId, from, to);
    return {
      date: of.day,
      provisional: of.nowMs < startMs + DAY_MS,
      opening,
      closing: add(opening, moved, 1n),
      count: to - from,
      async *pages() {
        for (let next = from; next < to; next += PAGE) {
          const end = next + PAGE < to ? next + PAGE : to;
          yield await readEntries(sql, { partnerId, from: next, to: end });
        }
      },
    };
  });
}

/** Counted from the beginning or back from today, whichever is nearer. */
async function balancesBefore(
  sql: AnySql,
  partnerId: number,
  number: bigint,
  last: bigint,
): Promise<Balances> {
  if (number - 1n <= last - number + 1n) return await movedBy(sql, partnerId, 1n, number);
  const [now] = await sql<{ cash_halalas: bigint; gold_micrograms: bigint }[]>`
    select cash_halalas, gold_micrograms from accounts where partner_id = ${partnerId}::integer`;
  const since = await movedBy(sql, partnerId, number, last + 1n);
  return add({ sarHalalas: now!.cash_halalas, goldMicrograms: now!.gold_micrograms }, since, -1n);
}

async function movedBy(
  sql: AnySql,
  partnerId: number,
  from: bigint,
  to: bigint,
): Promise<Balances> {
  const [row] = await sql<{ cash: bigint; gold: bigint }[]>`
    select
      coalesce(sum(case when credit_account = 'cash' then amount
        when debit_account = 'cash' then -amount end), 0)::bigint as cash,
      coalesce(sum(case when credit_account = 'gold' then amount
        when debit_account = 'gold' then -amount end), 0)::bigint as gold
    from transfers
    where partner_id = ${partnerId}::integer and number >= ${from} and number < ${to}`;
  return { sarHalalas: row!.cash, goldMicrograms: row!.gold };
}

function add(a: Balances, b: Balances, sign: 1n | -1n): Balances {
  return {
    sarHalalas: a.sarHalalas + sign * b.sarHalalas,
    goldMicrograms: a.goldMicrograms + sign * b.goldMicrograms,
  };
}
